// The design tokens as three.js colours: read from the page, so that 3D follows the theme.
import { Color } from "three";

export interface Palette {
  water: Color;
  shallow: Color;
  deep: Color;
  ink: Color;
  line: Color;
  land: Color;
  landLine: Color;
  mark: Color;
  onMark: Color;
  paper: Color;
  sides: [Color, Color];
  sails: [Color, Color];
}

export function readPalette(): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const token = (name: string) => {
    probe.style.color = `var(--${name})`;
    return new Color(getComputedStyle(probe).color);
  };
  const palette: Palette = {
    water: token("sea"),
    shallow: token("sea-bright"),
    deep: token("deep"),
    ink: token("ink"),
    line: token("sea-line"),
    land: token("land"),
    landLine: token("land-line"),
    mark: token("mark"),
    onMark: token("on-mark"),
    paper: token("paper"),
    sides: [new Color("#27455a"), new Color("#d9c7a0")],
    sails: [new Color("#f7f2e6"), new Color("#8f2d4f")],
  };
  probe.remove();
  return palette;
}
