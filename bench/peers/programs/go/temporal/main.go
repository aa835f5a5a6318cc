// Temporal on PostgreSQL: a workflow for each job.
package main

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"os"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/types/known/durationpb"

	"peers/common"
)

// It has no bulks.
const atOnce = 16

func handle(_ context.Context, job common.Job) error {
	common.Done(job)
	return nil
}

// Its documentation recommends local activities for what is short and needs no queue of its own.
func run(ctx workflow.Context, job common.Job) error {
	options := workflow.LocalActivityOptions{StartToCloseTimeout: 10 * time.Second}
	return workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(ctx, options), handle, job).Get(ctx, nil)
}

func main() {
	ctx := context.Background()
	handler := slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})
	options := client.Options{
		HostPort:  common.Server,
		Namespace: common.Queue,
		Logger:    sdklog.NewStructuredLogger(slog.New(handler)),
	}
	switch common.Mode() {
	case "ready":
		ready(ctx, options)
	case "schema":
		namespaces, err := client.NewNamespaceClient(options)
		common.Must(err)
		common.Must(namespaces.Register(ctx, &workflowservice.RegisterNamespaceRequest{
			Namespace:                        common.Queue,
			WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
		}))
	case "work":
		jobs := worker.New(connect(options), common.Queue, worker.Options{
			MaxConcurrentLocalActivityExecutionSize: 8,
			LocalActivityWorkerOnly:                 true,
			// What its documentation recommends, and says will be the default.
			WorkflowTaskPollerBehavior: worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{}),
		})
		jobs.RegisterWorkflow(run)
		jobs.RegisterActivity(handle)
		common.Must(jobs.Run(nil))
	default:
		jobs := connect(options)
		common.Produce(func(rows []common.Job) error {
			problems := make(chan error, len(rows))
			for _, row := range rows {
				go func() {
					_, err := jobs.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: common.Queue}, run, row)
					problems <- err
				}()
			}
			for range rows {
				if err := <-problems; err != nil {
					return err
				}
			}
			return nil
		}, atOnce)
	}
}

// Ends well if all that a job needs answers: there is no such workflow, says the history service.
func ready(ctx context.Context, options client.Options) {
	options.Namespace = "temporal-system"
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	system, err := client.DialContext(ctx, options)
	common.Must(err)
	_, err = system.DescribeTaskQueue(ctx, common.Queue, enums.TASK_QUEUE_TYPE_WORKFLOW)
	common.Must(err)
	_, err = system.DescribeWorkflowExecution(ctx, "none", "")
	if missing := new(serviceerror.NotFound); !errors.As(err, &missing) {
		log.Fatal(err)
	}
}

func connect(options client.Options) client.Client {
	connected, err := client.Dial(options)
	common.Must(err)
	return connected
}
