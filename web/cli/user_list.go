package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/web/cli/config"
	"inkfeed/workers/progress"
)

func setupUserList(c *config.Config) func(context.Context, output) error {
	var staff, suspended bool
	c.Bind(
		config.Switch("staff", &staff, "only moderators and administrators"),
		config.Switch("suspended", &suspended, "only suspended users"))
	c.BindStore()
	return func(ctx context.Context, out output) error {
		store, closeStore, err := openUsers(ctx, c, out)
		if err != nil {
			return err
		}
		defer closeStore()
		table := newUserTable(out.stdout)
		bar := progress.NewBar(out.stderr, progress.Unknown, "users")
		if progress.IsTerminal(out.stdout) { // the rows show the progress
			bar = progress.NewBar(io.Discard, progress.Unknown, "users")
		}
		visit := func(u domain.User) error {
			bar.Add(1)
			if suspended && u.Suspended.IsZero() {
				return nil
			}
			return table.add(u)
		}
		if staff {
			var all []domain.User
			all, err = store.Users.Staff(ctx)
			for _, u := range all {
				err = errors.Join(err, visit(u))
			}
		} else {
			err = store.Users.EachAccount(ctx, visit)
		}
		return errors.Join(err, bar.Close(), table.close())
	}
}

// sortedUsers is the maximum length of a sorted list. A longer list is not sorted, because all of its users would have
// to be in memory.
const sortedUsers = 1000

// userTable writes users sorted by name or, if there are many, in the order of the storage.
type userTable struct {
	w       *bufio.Writer
	rows    []domain.User
	flowing bool
	written int
}

func newUserTable(w io.Writer) *userTable { return &userTable{w: bufio.NewWriter(w)} }

func (t *userTable) add(u domain.User) error {
	if !t.flowing && len(t.rows) < sortedUsers {
		t.rows = append(t.rows, u)
		return nil
	}
	t.flowing = true
	if err := t.flush(); err != nil {
		return err
	}
	return t.write(u)
}

func (t *userTable) flush() error {
	slices.SortFunc(t.rows, func(a, b domain.User) int {
		return cmp.Compare(names.NameKey(a.Username), names.NameKey(b.Username))
	})
	for _, u := range t.rows {
		if err := t.write(u); err != nil {
			return err
		}
	}
	t.rows = nil
	return nil
}

// write writes a row with fixed column widths, which fit every user, so that no row has to wait for later rows.
func (t *userTable) write(u domain.User) error {
	if t.written == 0 {
		fmt.Fprintf(t.w, "%s  %-13s  %-10s  %s\n", cell("NAME", names.MaxUsername), "ROLE", "SINCE", "STATE")
	}
	t.written++
	_, err := fmt.Fprintf(t.w, "%s  %-13s  %-10s  %s\n", cell(u.Username, names.MaxUsername), u.Role,
		u.Created.UTC().Format(time.DateOnly), stateOf(u))
	return err
}

func (t *userTable) close() error {
	err := t.flush()
	if t.written == 0 {
		fmt.Fprintln(t.w, "There are none.")
	}
	return errors.Join(err, t.w.Flush())
}

// cell pads a text to a width in columns. Characters of some scripts take two columns.
func cell(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-uniseg.StringWidth(text)))
}

// stateOf describes in one line whether an account is active, suspended, scheduled for deletion or a sample.
func stateOf(u domain.User) string {
	var states []string
	if !u.Suspended.IsZero() {
		states = append(states, "suspended "+u.Suspended.UTC().Format(time.DateOnly)+": "+oneLine(u.SuspendedFor))
	}
	if !u.ScheduledDeletion.IsZero() {
		states = append(states, "leaves "+u.ScheduledDeletion.UTC().Format(time.DateOnly))
	}
	if u.Sample {
		states = append(states, "sample")
	}
	if states == nil {
		return "active"
	}
	return strings.Join(states, "; ")
}
