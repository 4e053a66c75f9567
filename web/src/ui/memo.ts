// A component that is drawn again only when one of its properties is another value.
import { Component, type ComponentType, h } from "preact";

export function memo<P extends object>(of: ComponentType<P>): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const now = this.props as Record<string, unknown>;
      const then = next as Record<string, unknown>;
      return Object.keys(then).some((key) => key !== "children" && then[key] !== now[key]);
    }
    override render() {
      return h(of, this.props as P);
    }
  };
}
