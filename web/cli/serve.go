package cli

import (
	"context"

	"inkfeed/web/cli/app"
	"inkfeed/web/cli/config"
)

func setupServe(c *config.Config) func(context.Context, output) error {
	o := c.BindServe()
	return func(ctx context.Context, out output) error { return app.Serve(ctx, c, o, out.stdout, out.stderr) }
}
