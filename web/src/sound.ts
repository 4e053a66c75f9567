// Sounds, made on the spot from noise and sine waves; silent when muted or before a first touch.
import { prefs } from "./prefs";

export type Sound =
  | "stone"
  | "splash"
  | "hit"
  | "sunk"
  | "cannon"
  | "grapple"
  | "wind"
  | "bell"
  | "won"
  | "lost"
  | "tick";

let context: AudioContext | null = null;
let noise: AudioBuffer | null = null;

function audio(): AudioContext | null {
  if (!prefs.get().sound || typeof AudioContext === "undefined") return null;
  if (!navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  return context;
}

export function play(sound: Sound): void {
  const ctx = audio();
  if (ctx === null) return;
  const at = ctx.currentTime + 0.005;
  switch (sound) {
    case "stone":
      hiss(ctx, at, 0.05, 2600, 900, 0.35);
      tone(ctx, at, 0.09, 320, 180, 0.25);
      break;
    case "splash":
      hiss(ctx, at, 0.45, 900, 300, 0.28);
      tone(ctx, at + 0.05, 0.2, 240, 520, 0.05);
      break;
    case "hit":
      hiss(ctx, at, 0.35, 500, 120, 0.6);
      tone(ctx, at, 0.25, 120, 50, 0.4);
      break;
    case "sunk":
      hiss(ctx, at, 0.9, 420, 70, 0.6);
      tone(ctx, at, 0.8, 150, 38, 0.4);
      break;
    case "cannon":
      hiss(ctx, at, 0.28, 800, 90, 0.45);
      tone(ctx, at, 0.22, 95, 42, 0.5);
      break;
    case "grapple":
      tone(ctx, at, 0.07, 900, 700, 0.12);
      tone(ctx, at + 0.08, 0.07, 1100, 800, 0.12);
      hiss(ctx, at + 0.12, 0.2, 1500, 600, 0.2);
      break;
    case "wind":
      hiss(ctx, at, 0.5, 400, 1100, 0.08);
      break;
    case "bell":
      tone(ctx, at, 0.7, 1174, 1174, 0.09);
      tone(ctx, at, 0.5, 2350, 2350, 0.03);
      break;
    case "won":
      for (const [i, f] of [523, 659, 784, 1046].entries()) tone(ctx, at + i * 0.11, 0.45, f, f, 0.1);
      break;
    case "lost":
      for (const [i, f] of [392, 330, 262].entries()) tone(ctx, at + i * 0.16, 0.45, f, f, 0.09);
      break;
    case "tick":
      tone(ctx, at, 0.03, 1500, 1200, 0.05);
      break;
  }
}

function tone(ctx: AudioContext, at: number, lasts: number, from: number, to: number, loud: number) {
  const source = ctx.createOscillator();
  source.frequency.setValueAtTime(from, at);
  source.frequency.exponentialRampToValueAtTime(to, at + lasts);
  shaped(ctx, source, at, lasts, loud);
}

function hiss(ctx: AudioContext, at: number, lasts: number, from: number, to: number, loud: number) {
  noise ??= makeNoise(ctx);
  const source = ctx.createBufferSource();
  source.buffer = noise;
  const filter = ctx.createBiquadFilter();
  filter.type = "lowpass";
  filter.frequency.setValueAtTime(from, at);
  filter.frequency.exponentialRampToValueAtTime(to, at + lasts);
  source.connect(filter);
  shaped(ctx, source, at, lasts, loud, filter);
}

function shaped(
  ctx: AudioContext,
  source: AudioScheduledSourceNode,
  at: number,
  lasts: number,
  loud: number,
  from: AudioNode = source,
) {
  const gain = ctx.createGain();
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(loud, at + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + lasts);
  from.connect(gain).connect(ctx.destination);
  source.start(at);
  source.stop(at + lasts + 0.02);
}

function makeNoise(ctx: AudioContext): AudioBuffer {
  const buffer = ctx.createBuffer(1, ctx.sampleRate, ctx.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  return buffer;
}
