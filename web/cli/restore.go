package cli

import (
	"context"
	"fmt"

	"inkfeed/cosmos/embedded"
	"inkfeed/web/cli/config"
	"inkfeed/workers/search"
)

func setupRestore(c *config.Config) func(context.Context, output) error {
	c.BindData()
	c.Operand = "FILE"
	return func(ctx context.Context, out output) error {
		if err := c.CheckEmbedded(); err != nil {
			return err
		}
		file := c.Operands[0]
		progress, done := pageBar(out.stderr)
		if err := done(embedded.Restore(ctx, file, c.Data, progress)); err != nil {
			return err
		}
		if err := search.Discard(c.Data); err != nil {
			return fmt.Errorf("discard the old search index: %w", err)
		}
		fmt.Fprintf(out.stdout, "%s is restored to %s: start the server on it.\n", file, c.Data)
		return nil
	}
}
