package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"inkfeed/cosmos/embedded"
	"inkfeed/web/cli/config"
)

// isUnreachable reports whether a request got no response.
func isUnreachable(err error) bool {
	_, ok := errors.AsType[*url.Error](err)
	return ok
}

func setupSplit(c *config.Config) func(context.Context, output) error {
	var container, rangeID string
	c.Bind(
		config.Flag("container", "", config.Text(&container),
			"split a feed range of this `container`, such as posts"),
		config.Flag("range", "", config.Text(&rangeID), "`id` of the feed range; empty: the one with the most items"))
	c.BindStore()
	return func(ctx context.Context, out output) error {
		if container == "" {
			return errors.New("--container: missing")
		}
		if !c.Embedded() && c.Key == "" {
			return errors.New("COSMOS_KEY: not set: an engine splits feed ranges for the holder of its key only")
		}
		operator := embedded.Operator{Endpoint: c.Endpoint, Key: c.Key, Client: http.DefaultClient}
		switch {
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
		case c.InsecureTLS:
			operator.Client = config.InsecureTransport()
		}
		made, err := operator.Split(ctx, c.Database, container, rangeID)
		switch {
		case errors.Is(err, embedded.ErrKey):
			return fmt.Errorf("COSMOS_KEY: not accepted by %s", c.Endpoint)
		case errors.Is(err, embedded.ErrNotEmbedded):
			return fmt.Errorf("COSMOS_ENDPOINT: %s is %w; an account splits its partitions by itself", c.Endpoint, err)
		case isUnreachable(err):
			return c.ExplainOpenError(fmt.Errorf("cannot split a feed range: %w", err))
		case err != nil && rangeID != "":
			return fmt.Errorf("--range: cannot split the feed range %q of %s in the database %s: %w",
				rangeID, container, c.Database, err)
		case err != nil:
			return fmt.Errorf("cannot split a feed range of %s in the database %s: %w", container, c.Database, err)
		}
		for _, r := range made {
			fmt.Fprintf(out.stdout, "Feed range %s of %s now has range %s, from %q to %q.\n",
				r.Parents[len(r.Parents)-1], container, r.ID, r.MinInclusive, r.MaxExclusive)
		}
		return nil
	}
}
