package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"inkfeed/domain/plaintext"
)

// Setting is one setting of a command: a flag, an environment variable or both. A flag takes precedence.
type Setting struct {
	// Flag is the name of the flag without dashes. Secrets have none, because other users of a
	// machine can read the arguments of a process.
	Flag     string
	Variable string
	Default  string
	Switch   bool   // the flag can be given without a value
	Usage    string // a phrase without a full stop, in which backquotes mark the name of the value
	Group    string // heading in help texts and in the documentation; empty for what one command has alone

	// Parse validates a value and stores it.
	Parse func(text string) error
}

// String returns the names of the setting for messages, such as "--addr or INKFEED_ADDR".
func (s Setting) String() string {
	var names []string
	if s.Flag != "" {
		names = append(names, "--"+s.Flag)
	}
	if s.Variable != "" {
		names = append(names, s.Variable)
	}
	return strings.Join(names, " or ")
}

// Groups of settings, in the order of the documentation.
const (
	GroupServer  = "Server"
	GroupSite    = "Site"
	GroupMail    = "Mail"
	GroupStorage = "Storage"
	GroupMedia   = "Pictures"
	GroupWorkers = "Workers"
)

// Groups lists the groups in the order of the documentation.
func Groups() []string {
	return []string{"", GroupServer, GroupSite, GroupMail, GroupStorage, GroupMedia, GroupWorkers}
}

// Flag returns a setting of one command that has no environment variable.
func Flag(name, otherwise string, parse func(string) error, usage string) Setting {
	return Setting{Flag: name, Default: otherwise, Usage: usage, Parse: parse}
}

// Switch returns a setting of one command that is true if the flag is given.
func Switch(name string, value *bool, usage string) Setting {
	return Setting{Flag: name, Default: "false", Switch: true, Usage: usage, Parse: Bool(value)}
}

// groupRemoved is in neither help texts nor the documentation.
const groupRemoved = "Removed"

// Removed returns a flag of earlier releases. Giving it is an error, which says what to use instead.
func Removed(name string, isSwitch bool, instead string) Setting {
	return Setting{Flag: name, Switch: isSwitch, Group: groupRemoved, Parse: func(text string) error {
		if text != "" {
			return errors.New("removed: " + instead)
		}
		return nil
	}}
}

// Text accepts any text.
func Text(value *string) func(string) error {
	return func(text string) error {
		*value = text
		return nil
	}
}

// Bool accepts what strconv.ParseBool does.
func Bool(value *bool) func(string) error {
	return func(text string) (err error) {
		if *value, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		return nil
	}
}

// Int accepts whole numbers within limits.
func Int(value *int, least, most int) func(string) error {
	return func(text string) (err error) {
		if *value, err = strconv.Atoi(text); err == nil && *value >= least && *value <= most {
			return nil
		}
		if most == math.MaxInt {
			return fmt.Errorf("%q is not a whole number from %d", text, least)
		}
		return fmt.Errorf("%q is not a whole number from %d to %s", text, least, plaintext.Grouped(most))
	}
}

// Uint64 accepts whole numbers from 0.
func Uint64(value *uint64) func(string) error {
	return func(text string) (err error) {
		if *value, err = strconv.ParseUint(text, 10, 64); err != nil {
			return fmt.Errorf("%q is not a whole number from 0", text)
		}
		return nil
	}
}

// Duration accepts positive durations. The example appears in error messages.
func Duration(value *time.Duration, example string) func(string) error {
	return func(text string) (err error) {
		if *value, err = time.ParseDuration(text); err == nil && *value <= 0 {
			err = errors.New("not positive")
		}
		if err != nil {
			return fmt.Errorf("%q is not a time such as %s", text, example)
		}
		return nil
	}
}
