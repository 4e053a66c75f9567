// A QR code, drawn from rows of 0 and 1.
export function QrCode({ rows }: { rows: string[] }) {
  const d = rows.flatMap((row, y) => [...row].map((bit, x) => (bit === "1" ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg class="qr" viewBox={`-4 -4 ${rows.length + 8} ${rows.length + 8}`} role="img" aria-label="QR code of the link">
      <rect x={-4} y={-4} width={rows.length + 8} height={rows.length + 8} fill="#fff" />
      <path d={d} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
