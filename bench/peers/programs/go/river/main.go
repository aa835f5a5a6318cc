// River on PostgreSQL.
package main

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"peers/common"
)

type handle struct{ common.Job }

func (handle) Kind() string { return "handle" }

func main() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, common.Server+"?pool_max_conns=8")
	common.Must(err)
	driver := riverpgxv5.New(pool)
	switch common.Mode() {
	case "schema":
		migrator, err := rivermigrate.New(driver, nil)
		common.Must(err)
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		common.Must(err)
	case "work":
		workers := river.NewWorkers()
		river.AddWorker(workers, river.WorkFunc(func(_ context.Context, job *river.Job[handle]) error {
			common.Done(job.Args.Job)
			return nil
		}))
		client, err := river.NewClient(driver, &river.Config{
			Queues:  map[string]river.QueueConfig{common.Queue: {MaxWorkers: 8}},
			Workers: workers,
			// "Throughput is limited by this value": the shortest it takes; River's own benchmark has 2 ms.
			FetchCooldown: river.FetchCooldownMin,
			// Only for what NOTIFY has missed; of River's own benchmark.
			FetchPollInterval: 20 * time.Millisecond,
			Logger:            slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		})
		common.Must(err)
		common.Must(client.Start(ctx))
		select {}
	default:
		// Here it is the time between two NOTIFYs.
		client, err := river.NewClient(driver, &river.Config{FetchCooldown: river.FetchCooldownMin})
		common.Must(err)
		options := &river.InsertOpts{Queue: common.Queue}
		common.Produce(func(jobs []common.Job) error {
			switch len(jobs) {
			case 0:
				return pool.Ping(ctx)
			case 1:
				_, err := client.Insert(ctx, handle{jobs[0]}, options)
				return err
			}
			rows := make([]river.InsertManyParams, len(jobs))
			for i, job := range jobs {
				rows[i] = river.InsertManyParams{Args: handle{job}, InsertOpts: options}
			}
			_, err := client.InsertManyFast(ctx, rows)
			return err
		}, 50)
	}
}
