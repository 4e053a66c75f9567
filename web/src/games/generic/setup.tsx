// A form for the settings of any game, made from the types that the server tells.
import { useTyped } from "../../ui/typed";
import type { OptionInfo } from "../../wire";
import type { SetupProps } from "../module";

export function Setup({ game, settings, change }: SetupProps) {
  const variants = Object.entries(game.variants);
  const chosen = variants.find(([, values]) => JSON.stringify(values) === JSON.stringify(settings))?.[0] ?? "";
  return (
    <div class="stack">
      {variants.length > 0 && (
        <label class="field">
          Variant
          <select value={chosen} onChange={(e) => change({ ...(game.variants[e.currentTarget.value] ?? {}) })}>
            {chosen === "" && <option value="">{Object.keys(settings).length > 0 ? "own settings" : "default"}</option>}
            {variants.map(([name]) => (
              <option value={name} key={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <div class="fields">
        {game.settings.map((option) => (
          <Setting
            key={option.name}
            option={option}
            value={settings[option.name] ?? option.default}
            change={(value) => change({ ...settings, [option.name]: value })}
          />
        ))}
      </div>
    </div>
  );
}

function Setting({ option, value, change }: { option: OptionInfo; value: unknown; change: (value: unknown) => void }) {
  const choices = option.value_schema.enum as unknown[] | undefined;
  const field = useTyped(written(value), (typed) => change(read(typed)));
  if (option.value_schema.type === "boolean") {
    return (
      <label class="check" title={option.help}>
        <input type="checkbox" checked={value === true} onChange={(e) => change(e.currentTarget.checked)} />
        {label(option)}
      </label>
    );
  }
  return (
    <label class="field" title={option.help}>
      {label(option)}
      {choices ? (
        <select value={String(value)} onChange={(e) => change(choices.find((c) => String(c) === e.currentTarget.value))}>
          {choices.map((choice) => (
            <option value={String(choice)} key={String(choice)}>
              {String(choice)}
            </option>
          ))}
        </select>
      ) : (
        <input inputMode={isNumber(option) ? "decimal" : "text"} {...field} />
      )}
      <span class="soft small">{option.help}</span>
    </label>
  );
}

const label = (option: OptionInfo) => option.name.replaceAll("_", " ");
const isNumber = (option: OptionInfo) => ["integer", "number"].includes(String(option.value_schema.type));
const written = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** What was typed, as JSON where it is that, else as text; the server says what is wrong with it. */
export function read(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
