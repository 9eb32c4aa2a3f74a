package cli

import (
	"context"
	"fmt"
	"runtime/debug"

	"inkfeed/web/cli/config"
)

func setupVersion(*config.Config) func(context.Context, output) error {
	return func(_ context.Context, out output) error {
		info, ok := debug.ReadBuildInfo()
		if !ok {
			info = &debug.BuildInfo{Main: debug.Module{Version: "(unknown)"}}
		}
		_, err := fmt.Fprintln(out.stdout, describeBuild(info))
		return err
	}
}

// describeBuild returns the version, the commit and the Go version of a program.
func describeBuild(info *debug.BuildInfo) string {
	text := "inkfeed " + info.Main.Version
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if commit := settings["vcs.revision"]; commit != "" {
		text += ", commit " + commit + " of " + settings["vcs.time"]
		if settings["vcs.modified"] == "true" {
			text += ", modified"
		}
	}
	return text + ", " + info.GoVersion
}
