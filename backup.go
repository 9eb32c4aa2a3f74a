package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"inkfeed/cosmos/embedded"
)

func setupBackup(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	c.obeyFolder(flags)
	c.operand = operand{name: "FILE"}
	return func(ctx context.Context, out output) error {
		if err := c.checkEmbedded(); err != nil {
			return err
		}
		file := flags.Arg(0)
		progress, done := pageBar(out.stderr)
		if err := done(embedded.Backup(ctx, c.data, file, progress)); err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(out.stdout, "%s is a copy of the database in %s, %.1f MB, checked.\n", file, c.data, float64(info.Size())/1e6)
		if c.keepsFilesIn(c.data) {
			fmt.Fprintf(out.stdout, "The pictures are not in it: copy %s, too.\n", filepath.Join(c.data, mediaFolder))
		}
		return nil
	}
}

// keepsFilesIn reports whether there are pictures in a data folder.
func (c *config) keepsFilesIn(data string) bool {
	info, err := os.Stat(filepath.Join(data, mediaFolder))
	return err == nil && info.IsDir() && c.media == "" && !c.keepsBlobs()
}

// pageBar draws the progress of copying a database. The second function ends it and passes
// on how the copying went.
func pageBar(w io.Writer) (embedded.Progress, func(error) error) {
	bar := newBar(w, unknown, "pages")
	progress := func(done, total int64) {
		bar.ChangeMax64(total)
		bar.Set64(done)
	}
	return progress, func(err error) error { return errors.Join(err, bar.Close()) }
}

// checkEmbedded is asked by commands for the files of the embedded engine.
func (c *config) checkEmbedded() error {
	if !c.embedded() {
		return errors.New("COSMOS_ENDPOINT: set, but only the embedded engine's data can be backed up and restored here: unset it to do so with the folder of --data")
	}
	return nil
}
