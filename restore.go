package main

import (
	"context"
	"flag"
	"fmt"

	"inkfeed/cosmos/embedded"
	"inkfeed/workers/search"
)

func setupRestore(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	c.obeyFolder(flags)
	c.operand = operand{name: "FILE"}
	return func(ctx context.Context, out output) error {
		if err := c.checkEmbedded(); err != nil {
			return err
		}
		file := flags.Arg(0)
		progress, done := pageBar(out.stderr)
		if err := done(embedded.Restore(ctx, file, c.data, progress)); err != nil {
			return err
		}
		if err := search.Discard(c.data); err != nil {
			return fmt.Errorf("the search index of what was there before: %w", err)
		}
		fmt.Fprintf(out.stdout, "%s is restored to %s: start the server on it.\n", file, c.data)
		return nil
	}
}
