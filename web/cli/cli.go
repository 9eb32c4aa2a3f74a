// Package cli is the command line: one file per command.
package cli

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

	"inkfeed/web/cli/config"
)

// Main runs the command that the process's arguments name, until it ends or is interrupted,
// and exits with status 1 if it fails.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := Run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			if ctx.Err() != nil {
				err = errors.New("interrupted")
			}
			fmt.Fprintln(os.Stderr, "inkfeed:", err)
		}
		os.Exit(1)
	}
}

// command is a word or two after the program's name. It registers the settings
// that it obeys and returns what to do once they are parsed and checked.
type command struct {
	help  string
	setup func(flags *flag.FlagSet, c *config.Config) func(ctx context.Context, out output) error
}

// output is where a command writes: results to stdout; progress and logs to
// stderr.
type output struct{ stdout, stderr io.Writer }

const defaultCommand = "serve"

func commands() map[string]command {
	return map[string]command{
		"serve":             {"serve the blog (what happens without a command)", setupServe},
		"seed":              {"write sample data", setupSeed},
		"import":            {"import another blog, or an export, for a user", setupImport},
		"verify":            {"check every copy against its source", setupVerify},
		"rebuild":           {"make every copy anew from its source, beside live traffic", setupRebuild},
		"deadletters list":  {"show the changes that could not be projected", setupDeadLettersList},
		"deadletters retry": {"project them again", setupDeadLettersRetry},
		"user list":         {"show the users", setupUserList},
		"user show":         {"show one user, and the ways to log in", setupUserShow},
		"user promote":      {"give a user a role: administrator, or another", setupUserPromote},
		"user suspend":      {"let nobody but moderators find a user", setupUserSuspend},
		"user restore":      {"end a suspension", setupUserRestore},
		"user password":     {"set a user's password", setupUserPassword},
		"user factors":      {"take the second factors from a user who has lost them", setupUserFactors},
		"backup":            {"copy the embedded engine's database, in use or not, to a file", setupBackup},
		"restore":           {"make a data folder of a backup", setupRestore},
		"split":             {"split a feed range of the embedded engine", setupSplit},
		"engine":            {"serve the embedded engine alone, over TLS, for other clients", setupEngine},
		"healthcheck":       {"ask a running server whether it is alive", setupHealthcheck},
	}
}

// run is the program, without what belongs to the process.
func Run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	all := commands()
	help := len(args) > 0 && args[0] == "help"
	if help {
		args = args[1:]
	}
	if group, ok := asksAbout(args, help, all); ok {
		overview(stdout, group, all)
		return nil
	}
	name, args, err := choose(args, all)
	if err != nil {
		return err
	}
	if help {
		args = []string{"--help"}
	}
	c := config.New(getenv)
	flags := flag.NewFlagSet("inkfeed "+name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // a wrong flag is one line, printed by main
	do := all[name].setup(flags, c)
	if err := c.Operand.Parse(flags, args); errors.Is(err, flag.ErrHelp) {
		usage(stdout, name, flags, c, all)
		return nil
	} else if err != nil {
		return err
	}
	if err := c.Operand.Check(name, flags.Args()); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	return do(ctx, output{stdout, stderr})
}

// choose takes the name of a command, of one word or two, off the arguments.
func choose(args []string, all map[string]command) (name string, rest []string, err error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return defaultCommand, args, nil
	}
	for words := range min(2, len(args)) {
		name := strings.Join(args[:words+1], " ")
		if _, ok := all[name]; ok {
			return name, args[words+1:], nil
		}
	}
	names := slices.Sorted(maps.Keys(all))
	var second []string
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, args[0]+" "); ok {
			second = append(second, rest)
		}
	}
	if second != nil {
		return "", nil, fmt.Errorf("%s is followed by %s", args[0], strings.Join(second, " or "))
	}
	return "", nil, fmt.Errorf("there is no command %q; there are help, %s", args[0], strings.Join(names, ", "))
}

// asksAbout tells whether help is wanted with commands that share their first word.
func asksAbout(args []string, help bool, all map[string]command) (group string, ok bool) {
	switch {
	case len(args) == 1 && help:
	case len(args) > 1 && slices.Contains([]string{"help", "-h", "-help", "--help"}, args[1]):
	default:
		return "", false
	}
	for name := range all {
		if strings.HasPrefix(name, args[0]+" ") {
			return args[0], true
		}
	}
	return "", false
}

// overview lists the commands of a group.
func overview(w io.Writer, group string, all map[string]command) {
	fmt.Fprintf(w, "inkfeed %s is followed by one of these (each has --help):\n", group)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, group+" ") {
			fmt.Fprintf(w, "  %-18s %s\n", name, all[name].help)
		}
	}
}

func usage(w io.Writer, name string, flags *flag.FlagSet, c *config.Config, all map[string]command) {
	fmt.Fprintf(w, "inkfeed %s: %s\n\nFlags:\n", strings.TrimSpace(name+" "+c.Operand.String()), all[name].help)
	flags.SetOutput(w)
	flags.PrintDefaults()
	if len(c.Variables) > 0 {
		fmt.Fprintf(w, "\nEnvironment, besides the variables of flags (see README.md):\n  %s\n", strings.Join(c.Variables, "\n  "))
	}
	fmt.Fprintln(w, "\nCommands (each has --help):")
	for _, other := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(w, "  %-18s %s\n", other, all[other].help)
	}
}
