package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"inkfeed/cosmos"
	"inkfeed/web/cli/config"
	"inkfeed/web/mail/bounce"
)

func setupBounces(c *config.Config) func(context.Context, output) error {
	c.BindStore()
	c.BindSessionKeys()
	return func(ctx context.Context, out output) error { return takeBounce(ctx, c, os.Stdin, out) }
}

// takeBounce records the returned message that in contains. Failures that may pass have the status that makes mail
// servers try again later.
func takeBounce(ctx context.Context, c *config.Config, in io.Reader, out output) error {
	keys, err := c.SessionKeys()
	if err != nil {
		return tryLater{err}
	}
	signer, err := bounce.NewSigner(keys)
	if err != nil {
		return err
	}
	report, err := signer.Parse(in)
	_, _ = io.Copy(io.Discard, in) // mail servers call an unread rest a failure
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(out.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, closeStore, err := c.Open(ctx, cosmos.Options{Existing: true}, logger)
	if err != nil {
		return tryLater{err}
	}
	defer closeStore()
	if err := (bounce.Recorder{Subscribers: store.Subscriptions, Posts: store.Posts}).Take(ctx, report); err != nil {
		return tryLater{err}
	}
	return nil
}

// tryLater is a failure that may pass.
type tryLater struct{ error }

// exitStatus returns the status of the process for an error.
func exitStatus(err error) int {
	if _, ok := errors.AsType[tryLater](err); ok {
		return 75 // EX_TEMPFAIL of sysexits.h
	}
	return 1
}
