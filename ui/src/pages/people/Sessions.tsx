import { useQuery, useQueryClient } from "@tanstack/react-query";
import { MonitorSmartphone } from "lucide-react";
import { call } from "@/api/client";
import { sessionsQuery } from "@/api/queries";
import type { Session } from "@/api/types";
import { Page } from "@/app/Page";
import { Button } from "@/ui/Button";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { said, sayError } from "@/ui/Toast";

const HEAD = [
  { name: "Who" },
  { name: "From" },
  { name: "Browser", className: "@max-3xl:hidden" },
  { name: "Began", className: "@max-xl:hidden" },
  { name: "Last used" },
  { name: "Ends", className: "@max-xl:hidden" },
  { name: "Actions", silent: true },
];

export default function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const client = useQueryClient();
  const end = async (session: Session) => {
    try {
      await call(`/auth/sessions/${encodeURIComponent(session.id)}`, { method: "DELETE" });
      said("The session has ended, on every node");
    } catch (error) {
      sayError(error, "Could not end it");
    }
    await client.invalidateQueries({ queryKey: ["sessions"] });
  };
  return (
    <Page
      title="Sessions"
      description="Browsers that are logged in: yours, or everybody's if you may make keys for all. One ends twelve hours after its last use, or after seven days."
    >
      <Panel flush updatedAt={sessions.dataUpdatedAt}>
        {sessions.isPending ? (
          <Skeleton rows={4} />
        ) : !sessions.data ? (
          <Failure error={sessions.error} retry={() => void sessions.refetch()} />
        ) : sessions.data.length === 0 ? (
          <Empty icon={<MonitorSmartphone />} title="Nobody is logged in" />
        ) : (
          <Table head={HEAD}>
            {sessions.data.map((session) => (
              <tr key={session.id}>
                <td>
                  {session.principal}
                  {session.current && <span className="ml-1.5 text-xs text-ink-3">this browser</span>}
                </td>
                <td className="font-mono text-xs">{session.client}</td>
                <td
                  className="max-w-64 truncate text-xs text-ink-2 @max-3xl:hidden"
                  title={session.user_agent}
                >
                  {session.user_agent}
                </td>
                <td className="@max-xl:hidden">
                  <Time at={session.created_at} />
                </td>
                <td>
                  <Time at={session.last_used_at} />
                </td>
                <td className="@max-xl:hidden">
                  <Time at={session.expires_at} />
                </td>
                <td className="w-10">
                  <Button
                    size="sm"
                    aria-label={`End the session of ${session.principal}`}
                    onClick={() => void end(session)}
                  >
                    End
                  </Button>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Panel>
    </Page>
  );
}
