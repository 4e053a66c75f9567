// Choosing an agent and its level: how long it may think, and its own options.
import { Choice } from "../ui/choice";
import { useTyped } from "../ui/typed";
import type { AgentInfo, GameInfo, OptionInfo } from "../wire";

export interface Picked {
  spec: string;
  think: number;
}

export interface AgentPickerProps {
  info: GameInfo;
  value: Picked;
  onChange: (picked: Picked) => void;
  label: string;
  /** Without the choice of thinking time. */
  plain?: boolean;
}

const LEVELS: [string, string][] = [
  ["0.1", "Quick"],
  ["1", "Normal"],
  ["4", "Long"],
];

export function AgentPicker({ info, value, onChange, label, plain }: AgentPickerProps) {
  const { name, options } = readSpec(value.spec);
  const agent = info.agents.find((a) => a.name === name);
  const pick = (changed: Record<string, string>) =>
    onChange({ ...value, spec: writeSpec(name, changed) });
  return (
    <div class="stack agent-picker">
      <label class="field">
        {label}
        <select value={name} onChange={(e) => onChange({ ...value, spec: e.currentTarget.value })}>
          {info.agents.map((a) => (
            <option value={a.name} key={a.name} disabled={a.unavailable !== null}>
              {a.unavailable === null ? a.name : `${a.name} (${a.unavailable})`}
            </option>
          ))}
        </select>
      </label>
      <p class="small soft agent-summary">{agent?.summary ?? "\u00a0"}</p>
      {!plain && (
        <Choice
          label="Thinking time"
          value={String(value.think)}
          options={LEVELS}
          onChange={(think) => onChange({ ...value, think: Number(think) })}
        />
      )}
      {agent && agent.options.length > 0 && <Options agent={agent} chosen={options} change={pick} />}
    </div>
  );
}

function Options(props: {
  agent: AgentInfo;
  chosen: Record<string, string>;
  change: (chosen: Record<string, string>) => void;
}) {
  return (
    <details class="small">
      <summary>Agent options</summary>
      <div class="fields">
        {props.agent.options.map((option) => (
          <OptionField
            key={option.name}
            option={option}
            value={props.chosen[option.name]}
            change={(text) => {
              const { [option.name]: _, ...others } = props.chosen;
              props.change(text === "" ? others : { ...others, [option.name]: text });
            }}
          />
        ))}
      </div>
    </details>
  );
}

function OptionField(props: { option: OptionInfo; value: string | undefined; change: (text: string) => void }) {
  const { option, value, change } = props;
  const choices = (option.value_schema.enum as unknown[] | undefined)?.map(String);
  const usual = String(option.default ?? "none");
  const field = useTyped(value ?? "", (typed) => change(typed.trim()));
  return (
    <label class="field" title={option.help}>
      {option.name}
      {choices ? (
        <select value={value ?? usual} onChange={(e) => change(e.currentTarget.value)}>
          {choices.map((choice) => (
            <option value={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input placeholder={usual} {...field} />
      )}
    </label>
  );
}

/** A spec such as `search:depth=8` taken apart. */
export function readSpec(spec: string): { name: string; options: Record<string, string> } {
  const [name = "", rest = ""] = spec.split(/:(.*)/s);
  const pairs = rest.split(",").filter(Boolean).map((part) => part.split(/=(.*)/s).slice(0, 2));
  return { name, options: Object.fromEntries(pairs) as Record<string, string> };
}

export function writeSpec(name: string, options: Record<string, string>): string {
  const parts = Object.entries(options).map(([key, value]) => `${key}=${value}`);
  return parts.length > 0 ? `${name}:${parts.join(",")}` : name;
}
