// Command inkfeed is a multi-user blog on Azure Cosmos DB, or on an embedded
// engine that speaks the same protocol.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			if ctx.Err() != nil {
				err = errors.New("interrupted")
			}
			fmt.Fprintln(os.Stderr, "inkfeed:", err)
		}
		os.Exit(1)
	}
}

// command is one word after the program's name. It adds its own flags to those
// that all commands take and returns what to do once they are parsed.
type command struct {
	help  string
	setup func(flags *flag.FlagSet, c *config) func(ctx context.Context, out output) error
}

// output is where a command writes: results to stdout; progress and logs to
// stderr.
type output struct{ stdout, stderr io.Writer }

const defaultCommand = "serve"

func commands() map[string]command {
	return map[string]command{
		"serve":       {"serve the blog (what happens without a command)", setupServe},
		"seed":        {"write sample data", setupSeed},
		"verify":      {"check every copy against its source", setupVerify},
		"engine":      {"serve the embedded engine alone, over TLS, for other clients", setupEngine},
		"healthcheck": {"ask a running server whether it is alive", setupHealthcheck},
	}
}

// run is the program, without what belongs to the process.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	name := defaultCommand
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	all := commands()
	cmd, ok := all[name]
	if !ok {
		return fmt.Errorf("there is no command %q; there are %s", name,
			strings.Join(slices.Sorted(maps.Keys(all)), ", "))
	}
	c := configFrom(getenv)
	flags := flag.NewFlagSet("inkfeed "+name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // a wrong flag is one line, printed by main
	c.register(flags, name)
	do := cmd.setup(flags, c)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		usage(stdout, name, cmd, flags, all)
		return nil
	} else if err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s takes no argument %q", name, flags.Arg(0))
	}
	if err := c.check(); err != nil {
		return err
	}
	return do(ctx, output{stdout, stderr})
}

func usage(w io.Writer, name string, cmd command, flags *flag.FlagSet, all map[string]command) {
	fmt.Fprintf(w, "inkfeed %s: %s\n\nFlags:\n", name, cmd.help)
	flags.SetOutput(w)
	flags.PrintDefaults()
	fmt.Fprintln(w, "\nCommands:")
	for _, other := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(w, "  %-12s %s\n", other, all[other].help)
	}
}
