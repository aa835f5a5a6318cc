// Package common is what the programs in Go share: the same as common.py.
package common

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const recordBytes = 24

var (
	// Queue is the name of the queue.
	Queue = os.Getenv("PEER_QUEUE")
	// Server is its address, in the words of its clients.
	Server  = os.Getenv("PEER_SERVER")
	filling = strings.Repeat("x", 60)
)

// Job is about 100 bytes of JSON: its number, microseconds when it was sent, filling.
type Job struct {
	N int64  `json:"n"`
	T int64  `json:"t"`
	X string `json:"x"`
}

// The same for all processes of the machine.
func nowUs() int64 {
	var now unix.Timespec
	Must(unix.ClockGettime(unix.CLOCK_MONOTONIC, &now))
	return now.Nano() / 1_000
}

type records struct{ file *os.File }

func appendTo(path string) records {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	Must(err)
	return records{file}
}

func (r records) add(jobs ...Job) {
	var lines []byte
	for _, job := range jobs {
		lines = fmt.Appendf(lines, "%11d %11d\n", job.N, nowUs()-job.T)
	}
	_, err := r.file.Write(lines)
	Must(err)
}

var doneFile = sync.OnceValue(func() records { return appendTo(os.Getenv("PEER_DONE")) })

// Done is what every handler does.
func Done(job Job) {
	doneFile().add(job)
}

// Produce sends jobs until the time is up. send returns when the server has acknowledged them, or an error.
func Produce(send func([]Job) error, bulk int64) {
	first := flag.Int64("first", 0, "number of the first job")
	count := flag.Int64("count", 0, "jobs in all; 0 for as many as there is time for")
	seconds := flag.Float64("seconds", 3_600, "")
	rate := flag.Float64("rate", 0, "jobs per second, one by one")
	ahead := flag.Int64("ahead", 0, "pause while so many jobs are waiting")
	acceptedPath := flag.String("accepted", "", "file for what the server has acknowledged")
	flag.Parse()
	accepted := appendTo(*acceptedPath)
	Must(send(nil)) // Connect first.
	began := time.Now()
	end := began.Add(inSeconds(*seconds))
	last := *first + 1_000_000_000
	if *count > 0 {
		last = *first + *count
	}
	if *rate > 0 {
		bulk = 1
	}
	for at := *first; at < last; at += bulk {
		if *rate > 0 {
			time.Sleep(time.Until(began.Add(inSeconds(float64(at-*first) / *rate))))
		}
		for *ahead > 0 && waiting(*acceptedPath) > *ahead && time.Now().Before(end) {
			time.Sleep(5 * time.Millisecond)
		}
		if !time.Now().Before(end) {
			return
		}
		jobs := make([]Job, 0, bulk)
		for number := at; number < min(at+bulk, last); number++ {
			jobs = append(jobs, Job{number, nowUs(), filling})
		}
		Must(send(jobs))
		accepted.add(jobs...)
	}
}

func inSeconds(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}

// All producers write to the same file.
func waiting(acceptedPath string) int64 {
	return (sizeOf(acceptedPath) - sizeOf(os.Getenv("PEER_DONE"))) / recordBytes
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Mode is the first word of the command line: "schema", "work", or the first option of a producer.
func Mode() string {
	return os.Args[1]
}

// Must ends the program if something went wrong.
func Must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
