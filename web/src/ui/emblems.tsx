// Emblems of the named opponents, drawn for this project: one for each strength.
import type { ComponentChildren } from "preact";

const DRAWINGS: Record<string, ComponentChildren> = {
  shell: (
    <path d="M24 38C12 36 8 26 10 16c4-5 10-8 14-8s10 3 14 8c2 10-2 20-14 22zM24 38V9M24 38 14 13M24 38 34 13M24 38 10.500 20M24 38 37.500 20M18 38h12" />
  ),
  lantern: (
    <path d="M17 17h14v18H17zM15 35h18M15 17h18M19 17l1-5h8l1 5M24 12V8M21 8h6M24 21c3 3 3.500 6 0 9-3.500-3-3-6 0-9z" />
  ),
  compass: (
    <>
      <circle cx="24" cy="24" r="15" />
      <path d="M24 12l4 12-4 12-4-12zM20 24h8M24 5v4M24 39v4M5 24h4M39 24h4" />
    </>
  ),
  anchor: (
    <path d="M24 14v26M16 20h16M10 28c1 8 6 12 14 12s13-4 14-12M10 28l-3 4M10 28l4 3M38 28l3 4M38 28l-4 3M24 14a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7z" />
  ),
  helm: (
    <>
      <circle cx="24" cy="24" r="11" />
      <circle cx="24" cy="24" r="3.500" />
      <path d="M24 5v15.500M24 27.500V43M5 24h15.500M27.500 24H43M10.600 10.600l10.900 10.900M26.500 26.500l10.900 10.900M37.400 10.600 26.500 21.500M21.500 26.500 10.600 37.400" />
    </>
  ),
  trident: (
    <path d="M24 43V8M24 8l-3 5M24 8l3 5M12 11c0 10 3 14 12 14s12-4 12-14M12 11l-3 5M12 11l3.500 4M36 11l3 5M36 11l-3.500 4M18 34h12" />
  ),
};

export function Emblem({ name }: { name: string }) {
  return (
    <svg class="emblem" viewBox="0 0 48 48" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      {DRAWINGS[name] ?? DRAWINGS.compass}
    </svg>
  );
}
