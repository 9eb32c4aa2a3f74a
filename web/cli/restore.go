package cli

import (
	"context"
	"fmt"
	"path/filepath"

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
		// The old search index is deleted before the database has its name. If the restore were interrupted in between,
		// the index would otherwise stay beside a database whose change feed it does not follow.
		discard := func() error {
			if err := search.Discard(c.Data); err != nil {
				return fmt.Errorf("discard the old search index: %w", err)
			}
			return nil
		}
		progress, done := pageBar(out.stderr)
		if err := done(embedded.Restore(ctx, file, c.Data, progress, discard)); err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%s is restored to %s.\n", file, c.Data)
		if key := filepath.Join(c.Data, config.SessionKeyFile); !exists(key) {
			fmt.Fprintf(out.stdout, "If the former data folder has a file %s, copy it to %s before you start the "+
				"server.\n", config.SessionKeyFile, key)
		}
		return nil
	}
}
