// A QR code, drawn from rows of 0 and 1, and what to say where a link leads nowhere else.
export function QrCode({ rows }: { rows: string[] }) {
  const d = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg class="qr" viewBox={`-4 -4 ${rows.length + 8} ${rows.length + 8}`} role="img" aria-label="QR code of the link">
      <rect x={-4} y={-4} width={rows.length + 8} height={rows.length + 8} fill="#fff" />
      <path d={d} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

/** Why a link leads nowhere from another device, and what to do about it. */
export function OnlyHere() {
  return (
    <>
      Only this computer can open the link now. To let other devices in your network join, start the server with{" "}
      <code>make play HOST=0.0.0.0</code> or <code>trireme serve --host 0.0.0.0</code>.
    </>
  );
}
