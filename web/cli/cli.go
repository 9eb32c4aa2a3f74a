// Package cli is the command line: one file for each command.
package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // for machines without time zones, such as containers

	urfave "github.com/urfave/cli/v3"

	"inkfeed/domain/portable/subprocess"
	"inkfeed/web/cli/config"
)

// Main runs the command that the process's arguments name, until it ends or a signal interrupts it. If the
// command fails, Main prints the error and exits with the status for it.
func Main() {
	if subprocess.Requested(os.Args) {
		os.Exit(subprocess.Serve(os.Stdin, os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := Run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil {
		if ctx.Err() != nil { // the error may say what has been done
			err = fmt.Errorf("interrupted: %w", err)
		}
		fmt.Fprintln(os.Stderr, "inkfeed:", err)
		os.Exit(exitStatus(err))
	}
}

// command is a command of the program. Its setup binds the settings that the command uses and returns the
// function that runs the command once they are loaded.
type command struct {
	help  string
	setup func(c *config.Config) func(ctx context.Context, out output) error
}

// output is where a command writes: results to stdout, progress and logs to stderr.
type output struct{ stdout, stderr io.Writer }

const defaultCommand = "serve"

// commands returns all commands by their names of one or two words.
func commands() map[string]command {
	return map[string]command{
		"serve":             {"serve the blog (the default command)", setupServe},
		"seed":              {"write sample data, for evaluation only", setupSeed},
		"import":            {"import another blog, or an export, for a user", setupImport},
		"verify":            {"check every copy against its source", setupVerify},
		"rebuild":           {"rebuild every copy from its source, while the server runs", setupRebuild},
		"mail check":        {"check the mail server, and the DNS records of the sender", setupMailCheck},
		"bounces":           {"record a returned mail, which is read from the standard input", setupBounces},
		"deadletters list":  {"list the changes that could not be projected", setupDeadLettersList},
		"deadletters retry": {"project such changes again", setupDeadLettersRetry},
		"user list":         {"list the users", setupUserList},
		"user show":         {"show a user's account and ways to log in", setupUserShow},
		"user promote":      {"give a user a role, by default administrator", setupUserPromote},
		"user suspend":      {"suspend a user, hiding them from everyone but moderators", setupUserSuspend},
		"user restore":      {"end a user's suspension", setupUserRestore},
		"user password":     {"set a user's password", setupUserPassword},
		"user factors":      {"remove the second factors of a user who has lost them", setupUserFactors},
		"backup":            {"copy the embedded engine's database to a file, even while it is in use", setupBackup},
		"restore":           {"restore a backup into an empty data folder", setupRestore},
		"schema":            {"print the definitions of the database's containers", setupSchema},
		"bench-model":       {"compare the article's data models on a sample of the blog", setupBenchModel},
		"split":             {"split a feed range of the embedded engine", setupSplit},
		"engine":            {"serve the embedded engine alone, over TLS, for other clients", setupEngine},
		"healthcheck":       {"check whether a running server is alive", setupHealthcheck},
		"version":           {"print the version of this program", setupVersion},
	}
}

// helpFlags are the flags of the program itself. Other flags belong to the default command.
var helpFlags = []string{"-h", "-help", "--help"}

// Run runs the command that the arguments name, without using anything else of the process.
func Run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	switch {
	case len(args) > 1 && args[0] == "help":
		args = append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "--version":
		args = []string{"version"}
	case slices.Contains(args, "--generate-shell-completion"):
	case len(args) == 0, strings.HasPrefix(args[0], "-") && !slices.Contains(helpFlags, args[0]):
		args = append([]string{defaultCommand}, args...)
	}
	return newProgram(getenv, output{stdout, stderr}).Run(ctx, append([]string{"inkfeed"}, args...))
}

// newProgram builds the tree of commands.
func newProgram(getenv func(string) string, out output) *urfave.Command {
	all := commands()
	names := slices.Sorted(maps.Keys(all))
	program := newGroup("inkfeed", "a multi-user blog on Azure Cosmos DB or an embedded engine", names)
	program.Writer, program.ErrWriter = out.stdout, out.stderr
	program.EnableShellCompletion = true
	program.ConfigureShellCompletionCommand = func(c *urfave.Command) {
		c.Hidden, c.Usage = false, "print a completion script for bash, zsh, fish or pwsh"
	}
	program.ExitErrHandler = func(context.Context, *urfave.Command, error) {} // Main prints the error
	for _, name := range names {
		parent, last := program, name
		if first, second, ok := strings.Cut(name, " "); ok {
			if parent = program.Command(first); parent == nil {
				parent = newGroup(first, "", seconds(names, first))
				parent.Usage = strings.Join(seconds(names, first), ", ")
				program.Commands = append(program.Commands, parent)
			}
			last = second
		}
		parent.Commands = append(parent.Commands, newCommand(last, all[name], getenv, out))
	}
	return program
}

// seconds returns the second words of the commands that begin with a word.
func seconds(names []string, first string) (words []string) {
	for _, name := range names {
		if second, ok := strings.CutPrefix(name, first+" "); ok {
			words = append(words, second)
		}
	}
	return words
}

// newGroup returns a command that only groups others: one of the words must follow its name.
func newGroup(name, usage string, words []string) *urfave.Command {
	return &urfave.Command{Name: name, Usage: usage, OnUsageError: usageError,
		Action: func(_ context.Context, c *urfave.Command) error {
			if name != "inkfeed" {
				return fmt.Errorf("%s is followed by %s", name, strings.Join(words, " or "))
			}
			return fmt.Errorf("there is no command %q; the commands are help, %s",
				c.Args().First(), strings.Join(words, ", "))
		}}
}

// newCommand returns the command line's form of a command: its flags, and an action that loads the settings first.
func newCommand(name string, command command, getenv func(string) string, out output) *urfave.Command {
	settings := config.New(getenv)
	run := command.setup(settings)
	c := &urfave.Command{Name: name, Usage: command.help, ArgsUsage: settings.Operand, HideHelpCommand: true,
		OnUsageError: usageError, Metadata: map[string]any{"settings": settings.Settings}}
	for _, s := range settings.Settings {
		switch {
		case s.Switch:
			c.Flags = append(c.Flags, &urfave.BoolFlag{Name: s.Flag, Usage: s.Usage})
		case s.Flag != "":
			c.Flags = append(c.Flags, &urfave.StringFlag{Name: s.Flag, Usage: s.Usage})
		}
	}
	c.Action = func(ctx context.Context, c *urfave.Command) error {
		given := make(map[string]string)
		for _, f := range c.Flags {
			if flag := f.Names()[0]; c.IsSet(flag) {
				given[flag] = fmt.Sprint(c.Value(flag))
			}
		}
		settings.Operands = c.Args().Slice()
		if err := checkOperands(strings.TrimPrefix(c.FullName(), "inkfeed "), settings); err != nil {
			return err
		}
		if err := settings.Load(given); err != nil {
			return err
		}
		return run(ctx, out)
	}
	return c
}

// usageError returns an error of the parser unchanged, so that no help text surrounds it.
func usageError(_ context.Context, _ *urfave.Command, err error, _ bool) error { return err }

// checkOperands returns an error unless a command was given the arguments that it takes.
func checkOperands(name string, c *config.Config) error {
	switch {
	case c.Operand == "" && len(c.Operands) > 0:
		return fmt.Errorf("%s takes no argument %q", name, c.Operands[0])
	case strings.HasSuffix(c.Operand, "...]"):
		return nil
	case c.Operand != "" && (len(c.Operands) != 1 || c.Operands[0] == ""):
		return fmt.Errorf("%s takes one %s", name, c.Operand)
	}
	return nil
}
