import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect } from "react";

interface Props {
  title: ReactNode;
  /** For the browser's own title, if the title is more than text. */
  name?: string;
  above?: { to: string; name: string };
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, name, above, description, actions, children }: Props) {
  const text = name ?? (typeof title === "string" ? title : "");
  useEffect(() => {
    document.title = text ? `${text} · Corvo` : "Corvo";
  }, [text]);
  return (
    <>
      <div className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          {above && (
            <nav aria-label="Breadcrumb" className="mb-0.5 flex items-center gap-1 text-xs text-ink-3">
              <Link to={above.to} className="hover:text-ink">
                {above.name}
              </Link>
              <ChevronRight className="size-3" aria-hidden="true" />
            </nav>
          )}
          <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
          {description && <p className="mt-0.5 max-w-prose text-sm text-pretty text-ink-2">{description}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </>
  );
}
