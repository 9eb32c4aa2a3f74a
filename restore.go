package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"inkfeed/cosmos/embedded"
)

func setupRestore(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	c.operand = "FILE"
	return func(ctx context.Context, out output) error {
		if err := c.checkEmbedded(); err != nil {
			return err
		}
		file := flags.Arg(0)
		bar := newBar(out.stderr, unknown, "pages")
		err := embedded.Restore(ctx, file, c.data, func(done, total int64) {
			bar.ChangeMax64(total)
			bar.Set64(done)
		})
		if err := errors.Join(err, bar.Close()); err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%s is restored to %s: start the server on it.\n", file, c.data)
		return nil
	}
}
