package cli

import (
	"context"
	"fmt"
	"io"
	"net"

	"inkfeed/domain/plaintext"
	"inkfeed/web/cli/config"
	"inkfeed/web/mail"
)

func setupMailCheck(c *config.Config) func(context.Context, output) error {
	var o mail.Options
	c.BindMail(&o)
	return func(ctx context.Context, out output) error {
		o.Keys = [][]byte{make([]byte, 32)} // nothing is encrypted or signed for others
		m, err := mail.New(o)
		if err != nil {
			return err
		}
		return printFindings(out.stdout, m.Examine(ctx, net.DefaultResolver))
	}
}

// printFindings prints what was found, and returns an error if something must change.
func printFindings(w io.Writer, list []mail.Finding) error {
	n := 0
	for _, f := range list {
		if f.Wrong {
			n++
			fmt.Fprintln(w, "change", f.Text)
		} else {
			fmt.Fprintln(w, "ok    ", f.Text)
		}
	}
	if n > 0 {
		return fmt.Errorf("%s: see above", plaintext.Count(n, "thing must change", "things must change"))
	}
	return nil
}
