package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"inkfeed/cosmos"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain/plaintext"
	"inkfeed/web/cli/config"
	"inkfeed/workers/progress"
	"inkfeed/workers/projection"
)

// letterID returns the ID of a dead letter on the command line: its processor, partition key and item ID.
func letterID(l feeds.DeadLetter) string {
	return l.Processor + "/" + l.Item.PartitionKey + "/" + l.Item.ID
}

// openLetters opens an existing database and reads the dead letters, the oldest first.
func openLetters(
	ctx context.Context, c *config.Config, out output,
) (*cosmos.Store, func(), []feeds.DeadLetter, error) {
	logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, closeStore, err := c.Open(ctx, cosmos.Options{Existing: true}, logger)
	if err != nil {
		return nil, nil, nil, err
	}
	var letters []feeds.DeadLetter
	err = store.DeadLetters.List(ctx, func(l feeds.DeadLetter) error {
		letters = append(letters, l)
		return nil
	})
	if err != nil {
		closeStore()
		return nil, nil, nil, fmt.Errorf("cannot read the dead letters: %w", err)
	}
	slices.SortFunc(letters, func(a, b feeds.DeadLetter) int {
		return cmp.Or(a.First.Compare(b.First), cmp.Compare(letterID(a), letterID(b)))
	})
	return store, closeStore, letters, nil
}

func setupDeadLettersList(c *config.Config) func(context.Context, output) error {
	c.BindStore()
	return func(ctx context.Context, out output) error {
		_, closeStore, letters, err := openLetters(ctx, c, out)
		if err != nil {
			return err
		}
		defer closeStore()
		if len(letters) == 0 {
			fmt.Fprintln(out.stdout, "There are no dead letters.")
			return nil
		}
		return writeLetters(out.stdout, letters)
	}
}

func writeLetters(w io.Writer, letters []feeds.DeadLetter) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tFIRST (UTC)\tLAST (UTC)\tATTEMPTS\tERROR")
	for _, l := range letters {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", letterID(l), l.First.UTC().Format(time.DateTime),
			l.Last.UTC().Format(time.DateTime), l.Attempts, oneLine(l.Error))
	}
	return table.Flush()
}

// shownError is the maximum number of characters of an error in a table. The server's log contains the whole error.
const shownError = 200

// oneLine returns a text for one line of a terminal, without control characters.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)), " ")
	return plaintext.Truncate(text, shownError)
}

func setupDeadLettersRetry(c *config.Config) func(context.Context, output) error {
	c.BindStore()
	c.BindMedia()
	var all bool
	c.Bind(config.Switch("all", &all,
		"retry all dead letters instead of those with the given IDs, which deadletters list shows"))
	c.Operand = "[ID...]"
	return func(ctx context.Context, out output) error {
		if all == (len(c.Operands) > 0) {
			return errors.New("deadletters retry takes either IDs or --all")
		}
		store, closeStore, letters, err := openLetters(ctx, c, out)
		if err != nil {
			return err
		}
		defer closeStore()
		if !all {
			if letters, err = chosen(letters, c.Operands); err != nil {
				return err
			}
		}
		done, err := retryLetters(ctx, c, store, letters, out)
		fmt.Fprintf(out.stdout, "%d of %s projected and removed.\n", done,
			plaintext.Count(len(letters), "dead letter is", "dead letters are"))
		return err
	}
}

// chosen returns the letters with these IDs, or an error if one is missing.
func chosen(letters []feeds.DeadLetter, ids []string) ([]feeds.DeadLetter, error) {
	var picked []feeds.DeadLetter
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		i := slices.IndexFunc(letters, func(l feeds.DeadLetter) bool { return letterID(l) == id })
		if i < 0 {
			return nil, fmt.Errorf("there is no dead letter %q", id)
		}
		picked = append(picked, letters[i])
	}
	return picked, nil
}

// retryLetters projects the current state of the items and deletes each letter whose projection succeeds. It prints
// the errors of the others.
func retryLetters(
	ctx context.Context, c *config.Config, store *cosmos.Store, letters []feeds.DeadLetter, out output,
) (done int, err error) {
	logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	processors := projection.NewRetriers(store, c.Workers(logger))
	bar := progress.NewBar(out.stderr, int64(len(letters)), "letters")
	defer bar.Close()
	var failures []string
	for _, l := range letters {
		switch err := retryLetter(ctx, store, processors[l.Processor], l); {
		case ctx.Err() != nil:
			return done, ctx.Err()
		case err != nil:
			failures = append(failures, letterID(l)+": "+oneLine(err.Error()))
		default:
			done++
		}
		bar.Add(1)
	}
	for _, line := range failures {
		fmt.Fprintln(out.stderr, line)
	}
	if len(failures) > 0 {
		return done, fmt.Errorf("%s: see above",
			plaintext.Count(len(failures), "dead letter remains", "dead letters remain"))
	}
	return done, nil
}

func retryLetter(ctx context.Context, store *cosmos.Store, p projection.Processor, l feeds.DeadLetter) error {
	if p == nil {
		return fmt.Errorf("there is no processor %q", l.Processor)
	}
	if err := p.Retry(ctx, l); err != nil {
		return err
	}
	return store.DeadLetters.Delete(ctx, l)
}
