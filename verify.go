package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"

	"inkfeed/cosmos"
	"inkfeed/domain"
)

func setupVerify(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	wait := flags.Bool("wait", false, "let the workers catch up first (a minute longer, if a server on the account was killed just now: its leases must expire)")
	return func(ctx context.Context, out output) error {
		logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		store, closeStore, err := c.open(ctx, cosmos.Options{Existing: true}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		if *wait {
			if err := catchUp(ctx, c, store, unknown, logger, out.stderr); err != nil {
				return err
			}
		}
		bar := newBar(out.stderr, unknown, "items")
		violations := 0
		counts, err := store.Verify(ctx, domain.NewMarkdown(), func(items int) { bar.Set(items) }, func(v cosmos.Violation) {
			violations++
			fmt.Fprintln(out.stdout, v)
		})
		if err := errors.Join(err, bar.Close()); err != nil {
			return err
		}
		if violations > 0 {
			return fmt.Errorf("%d violations", violations)
		}
		fmt.Fprintf(out.stdout, "No violation in %d items: every count, copy and name of %d users and %d posts is right.\n",
			counts.Items, counts.Users, counts.Posts)
		return nil
	}
}
