// A page for what is not there: why, and the way back.

export function NotFound({ title, why }: { title: string; why?: string }) {
  return (
    <div class="waiting panel stack">
      <h1>{title}</h1>
      {why && <p class="soft">{why}</p>}
      <p>
        <a class="button" href="/">
          Back to the home page
        </a>
      </p>
    </div>
  );
}
