package cli

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	urfave "github.com/urfave/cli/v3"

	"inkfeed/web/cli/config"
)

func init() {
	urfave.HelpPrinter = func(w io.Writer, _ string, command any) { printHelp(w, command.(*urfave.Command)) }
}

// overview is the part of the program's help that shows newcomers how to begin.
const overview = `
Usage:
  inkfeed                serve the blog and print its address
  inkfeed serve --help   list the server's flags and environment variables
  inkfeed COMMAND        run another command
`

// printHelp prints the settings of a command, or the commands of a group.
func printHelp(w io.Writer, c *urfave.Command) {
	settings, isCommand := c.Metadata["settings"].([]config.Setting)
	fmt.Fprintf(w, "%s: %s\n", strings.TrimSpace(c.FullName()+" "+c.ArgsUsage), c.Usage)
	for _, group := range config.Groups() {
		heading := "\n" + cmp.Or(group, "Flags") + ":\n"
		for _, s := range settings {
			if s.Group == group {
				fmt.Fprint(w, heading)
				heading = ""
				printSetting(w, s)
			}
		}
	}
	if isCommand {
		fmt.Fprintln(w, "\nTo list all commands, run: inkfeed help")
		return
	}
	if c.Root() == c {
		fmt.Fprint(w, overview)
	}
	fmt.Fprintln(w, "\nCommands (each has --help):")
	printCommands(w, c)
}

// printCommands prints one line for each command of a group and of the groups in it.
func printCommands(w io.Writer, c *urfave.Command) {
	for _, sub := range c.VisibleCommands() {
		if sub.Name != "completion" && len(sub.VisibleCommands()) > 0 {
			printCommands(w, sub)
		} else {
			fmt.Fprintf(w, "  %-18s %s\n", strings.TrimPrefix(sub.FullName(), "inkfeed "), sub.Usage)
		}
	}
}

// valueName matches the name of a setting's value in its usage.
var valueName = regexp.MustCompile("`([^`]+)`")

// printSetting prints the name of a setting, and below it the usage, the variable and the default.
func printSetting(w io.Writer, s config.Setting) {
	name := s.Variable
	if s.Flag != "" {
		name = "--" + s.Flag
	}
	if value := valueName.FindStringSubmatch(s.Usage); value != nil {
		name += " " + value[1]
	}
	fmt.Fprintf(w, "  %s\n", name)
	var notes []string
	if s.Flag != "" && s.Variable != "" {
		notes = append(notes, s.Variable)
	}
	if s.Default != "" && !s.Switch {
		notes = append(notes, "default "+s.Default)
	}
	usage := strings.ReplaceAll(s.Usage, "`", "")
	if notes != nil {
		usage += " (" + strings.Join(notes, ", ") + ")"
	}
	for _, line := range wrap(usage, 100) {
		fmt.Fprintf(w, "        %s\n", line)
	}
}

// wrap breaks a text between words into lines of at most width bytes. A longer word has a line of its own.
func wrap(text string, width int) (lines []string) {
	for _, word := range strings.Fields(text) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
