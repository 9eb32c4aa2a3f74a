package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"

	"inkfeed/cosmos/embedded"
)

// isUnreachable tells whether a request got no answer at all.
func isUnreachable(err error) bool {
	_, ok := errors.AsType[*url.Error](err)
	return ok
}

func setupSplit(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	container := flags.String("container", "", "split a feed range of this `container`: users, posts, feed, leases or deadletters")
	rangeID := flags.String("range", "", "the `id` of the feed range; empty: the one that has the most items")
	c.obeyStore(flags)
	return func(ctx context.Context, out output) error {
		if *container == "" {
			return errors.New("--container: none is named")
		}
		operator := embedded.Operator{Endpoint: c.endpoint, Key: c.key, Client: http.DefaultClient}
		switch insecure, _ := strconv.ParseBool(c.insecureTLS); {
		case c.embedded():
			if err := c.checkData(); err != nil {
				return err
			}
			logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
			engine, err := embedded.Open(c.data, embedded.Options{Logger: logger})
			if err != nil {
				return fmt.Errorf("--data or INKFEED_DATA: %w", err)
			}
			defer engine.Close()
			operator = embedded.Operator{Endpoint: engine.Endpoint(), Key: engine.Key(), Client: engine}
		case insecure:
			operator.Client = insecureTransport()
		}
		made, err := operator.Split(ctx, c.database, *container, *rangeID)
		switch {
		case errors.Is(err, embedded.ErrKey):
			return fmt.Errorf("COSMOS_KEY: not accepted by %s", c.endpoint)
		case errors.Is(err, embedded.ErrNotEmbedded):
			return fmt.Errorf("COSMOS_ENDPOINT: %s is %w; an account splits its partitions by itself", c.endpoint, err)
		case isUnreachable(err):
			return c.blame(fmt.Errorf("cannot split a feed range: %w", err))
		case err != nil && *rangeID != "":
			return fmt.Errorf("--range: cannot split the feed range %q of %s in the database %s: %w", *rangeID, *container, c.database, err)
		case err != nil:
			return fmt.Errorf("cannot split a feed range of %s in the database %s: %w", *container, c.database, err)
		}
		for _, r := range made {
			fmt.Fprintf(out.stdout, "Feed range %s of %s now has range %s, from %q to %q.\n",
				r.Parents[len(r.Parents)-1], *container, r.ID, r.MinInclusive, r.MaxExclusive)
		}
		return nil
	}
}
