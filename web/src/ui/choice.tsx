// A choice between a few: a row of segments that works like radio buttons.
import { useId, useRef } from "preact/hooks";

export interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
  /** The label is only read out. */
  quiet?: boolean;
}

export function Choice<T extends string>({ label, value, options, onChange, quiet }: ChoiceProps<T>) {
  const id = useId();
  const row = useRef<HTMLDivElement>(null);
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const index = options.findIndex(([option]) => option === value);
    const next = (index + step + options.length) % options.length;
    onChange(options[next]![0]);
    (row.current?.children[next] as HTMLElement | undefined)?.focus();
  }
  return (
    <div class="choice">
      <span id={id} class={quiet ? "visually-hidden" : "soft small"}>
        {label}
      </span>
      <div class="segments" role="radiogroup" aria-labelledby={id} ref={row} onKeyDown={onKeyDown}>
        {options.map(([option, text]) => (
          <button
            key={option}
            type="button"
            role="radio"
            aria-checked={option === value}
            tabIndex={option === value ? 0 : -1}
            onClick={() => onChange(option)}
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}
