// Icons, drawn for this project: 24 units square, one stroke width, the colour and size of the text
// unless a style gives another size.
import type { ComponentChildren } from "preact";

function icon(children: ComponentChildren) {
  return () => (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      width="1.15em"
      height="1.15em"
      fill="none"
      stroke="currentColor"
      stroke-width="1.8"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

export const TriremeMark = icon(
  <>
    <path d="M3 13.5h15.500c1.300 0 2.100-.7 2.500-2.200-.2 4.300-2.500 6.700-5.800 6.700H8c-2.600 0-4.300-1.700-5-4.500z" />
    <path d="M11 4v9.500M11 4.800c3.300.7 4.900 2.800 4.900 6.200H11" />
    <path d="m7.500 18-1.500 3M11.500 18 10 21M15.300 18l-1.500 3" stroke="var(--accent)" />
  </>,
);
export const Sun = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600 7 7M17 17l1.400 1.400M5.600 18.400 7 17M17 7l1.400-1.400" />
  </>,
);
export const Moon = icon(<path d="M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z" />);
export const HalfMoon = icon(
  <>
    <circle cx="12" cy="12" r="8" />
    <path d="M12 4v16a8 8 0 0 0 0-16z" fill="currentColor" />
  </>,
);
export const SoundOn = icon(
  <>
    <path d="M4 10v4h3.500L12 18V6l-4.500 4z" />
    <path d="M15.500 9.500a4 4 0 0 1 0 5M18 7a7.500 7.500 0 0 1 0 10" />
  </>,
);
export const SoundOff = icon(
  <>
    <path d="M4 10v4h3.500L12 18V6l-4.500 4z" />
    <path d="m16 10 4 4M20 10l-4 4" />
  </>,
);
export const Play = icon(<path d="M8 5.500v13l10.500-6.500z" fill="currentColor" />);
export const Pause = icon(<path d="M8.500 6v12M15.500 6v12" stroke-width="3" />);
export const Next = icon(<path d="m9.500 6 6 6-6 6" />);
export const Back = icon(<path d="m14.500 6-6 6 6 6" />);
export const First = icon(<path d="M17.500 6l-6 6 6 6M6.500 6v12" />);
export const Last = icon(<path d="m6.500 6 6 6-6 6M17.500 6v12" />);
export const Undo = icon(<path d="M8 5 4 9l4 4M4 9h9.500a5.500 5.500 0 0 1 0 11H9" />);
export const Flag = icon(<path d="M6 21V4M6 5h11l-2.500 4 2.500 4H6" />);
export const Chart = icon(<path d="M4 4v16h16M8 15l3.5-4 3 2.500L20 7" />);
export const Bulb = icon(
  <path d="M9.500 18h5M10.500 21h3M8.500 14.800A6 6 0 1 1 15.500 14.800c-.7.600-1 1.200-1 2V18h-5v-1.200c0-.8-.3-1.400-1-2z" />,
);
export const Again = icon(<path d="M19 8.500A8 8 0 1 0 20 13M19.500 4v4.500H15" />);
export const Link = icon(
  <path d="M10 14a4 4 0 0 0 5.700 0l3-3A4 4 0 0 0 13 5.300l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3A4 4 0 0 0 11 18.700l1-1" />,
);
export const Download = icon(<path d="M12 4v11M7.500 11 12 15.500 16.500 11M5 19.500h14" />);
export const Upload = icon(<path d="M12 16V5M7.500 9 12 4.500 16.500 9M5 19.500h14" />);
export const Check = icon(<path d="m5 12.500 4.500 4.500L19 7.500" />);
export const Cross = icon(<path d="m6.500 6.500 11 11M17.500 6.500l-11 11" />);
export const Dice = icon(
  <>
    <rect x="4.500" y="4.500" width="15" height="15" rx="3" />
    <path d="M9 9h.01M15 15h.01M15 9h.01M9 15h.01" stroke-width="2.600" />
  </>,
);
export const Turn = icon(<path d="M6 19v-6a6 6 0 0 1 6-6h6M14.500 3.500 18 7l-3.500 3.500" />);
export const Person = icon(
  <>
    <circle cx="12" cy="8" r="3.500" />
    <path d="M5 20a7 7 0 0 1 14 0" />
  </>,
);
export const Machine = icon(
  <>
    <rect x="5" y="8" width="14" height="11" rx="2.500" />
    <path d="M12 8V4.500M9.500 13h.01M14.500 13h.01M10 16.500h4" />
  </>,
);
export const Eye = icon(
  <>
    <path d="M3 12c2.200-4 5.200-6 9-6s6.800 2 9 6c-2.200 4-5.200 6-9 6s-6.800-2-9-6z" />
    <circle cx="12" cy="12" r="2.700" />
  </>,
);
export const Cube = icon(<path d="M12 3.500 4.500 7.700v8.600L12 20.500l7.500-4.200V7.700zM4.500 7.700 12 12l7.500-4.300M12 12v8.500" />);
export const Book = icon(
  <path d="M12 6.500C9.500 4.800 7 4.300 4 4.500v13.500c3-.2 5.500.3 8 2 2.500-1.700 5-2.200 8-2V4.500c-3-.2-5.500.3-8 2zM12 6.500V20" />,
);
export const Clock = icon(
  <>
    <circle cx="12" cy="13" r="7.500" />
    <path d="M12 9v4l2.500 2M9.500 2.500h5" />
  </>,
);
export const Anchor = icon(
  <>
    <circle cx="12" cy="5.500" r="2" />
    <path d="M12 7.500V20M8 11h8M5 13.500c.3 4 2.800 6.500 7 6.500s6.700-2.500 7-6.500" />
  </>,
);
