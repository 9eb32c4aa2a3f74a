package cli

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"inkfeed/web/cli/config"
)

// setupHealthcheck sets up the command for a container's HEALTHCHECK, because the image has no curl.
func setupHealthcheck(c *config.Config) func(context.Context, output) error {
	c.BindAddr(config.DefaultAddr, "check the server at this `host:port`")
	return func(ctx context.Context, out output) error {
		host, port, err := net.SplitHostPort(c.Addr)
		if err != nil {
			return err
		}
		switch host { // a server on all interfaces is reachable on loopback
		case "", "0.0.0.0":
			host = "127.0.0.1"
		case "::":
			host = "::1"
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		address := "http://" + net.JoinHostPort(host, port) + "/healthz"
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", req.URL, resp.Status)
		}
		fmt.Fprintln(out.stdout, "ok")
		return nil
	}
}
