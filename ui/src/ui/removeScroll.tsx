// Stands in for react-remove-scroll, which Radix uses to keep the page behind a dialog from scrolling. The
// original does it with a <style> element; here it is a property of <body>, which our policy allows.
import { Slot } from "radix-ui";
import { type ReactNode, type Ref, useEffect } from "react";

interface Props {
  children?: ReactNode;
  as?: unknown;
  enabled?: boolean;
  allowPinchZoom?: boolean;
  shards?: unknown;
  removeScrollBar?: boolean;
  ref?: Ref<HTMLElement>;
}

let locks = 0;

export function RemoveScroll({
  children,
  as,
  enabled = true,
  allowPinchZoom,
  shards,
  removeScrollBar,
  ...rest
}: Props) {
  useEffect(() => {
    if (!enabled) return;
    locks += 1;
    document.body.style.overflow = "hidden";
    return () => {
      locks -= 1;
      if (locks === 0) document.body.style.overflow = "";
    };
  }, [enabled]);
  return <Slot.Root {...rest}>{children}</Slot.Root>;
}
