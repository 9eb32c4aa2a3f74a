package cli

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
	"inkfeed/web/cli/config"
)

// isUnreachable tells whether a request got no answer at all.
func isUnreachable(err error) bool {
	_, ok := errors.AsType[*url.Error](err)
	return ok
}

func setupSplit(flags *flag.FlagSet, c *config.Config) func(context.Context, output) error {
	container := flags.String("container", "", "split a feed range of this `container`: users, posts, feed, leases or deadletters")
	rangeID := flags.String("range", "", "the `id` of the feed range; empty: the one that has the most items")
	c.ObeyStore(flags)
	return func(ctx context.Context, out output) error {
		if *container == "" {
			return errors.New("--container: none is named")
		}
		operator := embedded.Operator{Endpoint: c.Endpoint, Key: c.Key, Client: http.DefaultClient}
		switch insecure, _ := strconv.ParseBool(c.InsecureTLS); {
		case c.Embedded():
			if err := c.CheckData(); err != nil {
				return err
			}
			logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
			engine, err := embedded.Open(c.Data, embedded.Options{Logger: logger})
			if err != nil {
				return fmt.Errorf("--data or INKFEED_DATA: %w", err)
			}
			defer engine.Close()
			operator = embedded.Operator{Endpoint: engine.Endpoint(), Key: engine.Key(), Client: engine}
		case insecure:
			operator.Client = config.InsecureTransport()
		}
		made, err := operator.Split(ctx, c.Database, *container, *rangeID)
		switch {
		case errors.Is(err, embedded.ErrKey):
			return fmt.Errorf("COSMOS_KEY: not accepted by %s", c.Endpoint)
		case errors.Is(err, embedded.ErrNotEmbedded):
			return fmt.Errorf("COSMOS_ENDPOINT: %s is %w; an account splits its partitions by itself", c.Endpoint, err)
		case isUnreachable(err):
			return c.Blame(fmt.Errorf("cannot split a feed range: %w", err))
		case err != nil && *rangeID != "":
			return fmt.Errorf("--range: cannot split the feed range %q of %s in the database %s: %w", *rangeID, *container, c.Database, err)
		case err != nil:
			return fmt.Errorf("cannot split a feed range of %s in the database %s: %w", *container, c.Database, err)
		}
		for _, r := range made {
			fmt.Fprintf(out.stdout, "Feed range %s of %s now has range %s, from %q to %q.\n",
				r.Parents[len(r.Parents)-1], *container, r.ID, r.MinInclusive, r.MaxExclusive)
		}
		return nil
	}
}
