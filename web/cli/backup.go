package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"inkfeed/cosmos/embedded"
	"inkfeed/web/cli/config"
	"inkfeed/workers/progress"
)

func setupBackup(c *config.Config) func(context.Context, output) error {
	c.BindData()
	c.Operand = "FILE"
	return func(ctx context.Context, out output) error {
		if err := c.CheckEmbedded(); err != nil {
			return err
		}
		file := c.Operands[0]
		progress, done := pageBar(out.stderr)
		if err := done(embedded.Backup(ctx, c.Data, file, progress)); err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%s is a copy of the database in %s, %.1f MB, checked.\n",
			file, c.Data, float64(info.Size())/1e6)
		if c.KeepsFilesInData() {
			fmt.Fprintf(out.stdout, "The pictures are not in it: copy %s, too.\n",
				filepath.Join(c.Data, config.MediaFolder))
		}
		if key := filepath.Join(c.Data, config.SessionKeyFile); exists(key) {
			fmt.Fprintf(out.stdout, "The session key is not in it: copy %s, too. Without it, all users are logged out "+
				"and their authenticator apps no longer work.\n", key)
		}
		return nil
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// pageBar returns a function that draws the progress of copying a database, and one that removes the bar and returns
// the error of the copying.
func pageBar(w io.Writer) (embedded.Progress, func(error) error) {
	bar := progress.NewBar(w, progress.Unknown, "pages")
	progress := func(done, total int64) {
		bar.ChangeMax64(total)
		bar.Set64(done)
	}
	return progress, func(err error) error { return errors.Join(err, bar.Close()) }
}
