// Command sbom prints the software bill of materials of a Go program, as its build information states it, in
// CycloneDX 1.6 JSON.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(file string, w io.Writer) error {
	program, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return err
	}
	b, err := newBOM(info, sha256.Sum256(program))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

// The objects of a CycloneDX document (cyclonedx.org/docs/1.6/json) that this program writes.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp,omitempty"` // of the commit, so that the document is reproducible
		Component component `json:"component"`
	}
	component struct {
		Type     string    `json:"type"`
		Ref      string    `json:"bom-ref"`
		Name     string    `json:"name"`
		Version  string    `json:"version"`
		PURL     string    `json:"purl"`
		Hashes   []hash    `json:"hashes,omitempty"`
		Pedigree *pedigree `json:"pedigree,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	pedigree struct {
		Commits []commit `json:"commits"`
	}
	commit struct {
		UID string `json:"uid"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
)

// newBOM returns the bill of materials of a program with this SHA-256. The build information lists the modules but not
// which of them needs which, so all of them are dependencies of the program.
func newBOM(info *debug.BuildInfo, sum [sha256.Size]byte) (bom, error) {
	if info.Main.Path == "" {
		return bom{}, fmt.Errorf("the build information names no main module")
	}
	program := newComponent("application", info.Main.Path, info.Main.Version)
	program.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	b := bom{Format: "CycloneDX", SpecVersion: "1.6", Version: 1}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.time":
			b.Metadata.Timestamp = s.Value
		case "vcs.revision":
			program.Pedigree = &pedigree{[]commit{{s.Value}}}
		}
	}
	b.Metadata.Component = program
	b.Components = []component{newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := newComponent("library", m.Path, m.Version)
		digest, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
		if err != nil {
			return bom{}, fmt.Errorf("checksum of %s: %w", m.Path, err)
		}
		if len(digest) == sha256.Size { // that of go.sum: the SHA-256 of the list of the module's files
			c.Hashes = []hash{{"SHA-256", hex.EncodeToString(digest)}}
		}
		b.Components = append(b.Components, c)
	}
	of := dependency{Ref: program.Ref}
	for _, c := range b.Components {
		of.DependsOn = append(of.DependsOn, c.Ref)
		b.Dependencies = append(b.Dependencies, dependency{Ref: c.Ref})
	}
	b.Dependencies = append([]dependency{of}, b.Dependencies...)
	return b, nil
}

// newComponent returns a module as a component. Its package URL follows the purl specification for type golang, with
// the path as Go writes it, which scanners of vulnerabilities compare.
func newComponent(kind, path, version string) component {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	purl := "pkg:golang/" + strings.Join(segments, "/") + "@" + url.QueryEscape(version)
	return component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
}
