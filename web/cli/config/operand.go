package config

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

// Operand is what a command takes besides its flags. The zero value is nothing.
type Operand struct {
	Name string // in capitals
	Many bool   // any number, none too; otherwise exactly one
}

func (o Operand) String() string {
	if o.Many {
		return "[" + o.Name + "...]"
	}
	return o.Name
}

// Parse lets flags come after the one thing that a command takes, too, as people type them.
func (o Operand) Parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil || o.Name == "" || o.Many {
		return err
	}
	if given := flags.Args(); len(given) > 1 && strings.HasPrefix(given[1], "-") {
		if err := flags.Parse(given[1:]); err != nil {
			return err
		}
		return flags.Parse(append([]string{"--", given[0]}, flags.Args()...))
	}
	return nil
}

// Check tells whether a command was given what it takes.
func (o Operand) Check(command string, given []string) error {
	switch {
	case o.Name == "" && len(given) > 0:
		return fmt.Errorf("%s takes no argument %q", command, given[0])
	case o.Name != "" && !o.Many && len(given) != 1, slices.Contains(given, ""):
		return fmt.Errorf("%s takes one %s", command, o.Name)
	}
	for _, g := range given {
		if o.Many && strings.HasPrefix(g, "-") {
			return fmt.Errorf("%s takes its flags, such as %s, before %s", command, g, o)
		}
	}
	return nil
}
