package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

func TestBillOfMaterialsNamesEachModuleOfAProgram(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "inkfeed", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "github.com/BurntSushi/toml", Version: "v1.6.0", Sum: "h1:" + strings.Repeat("A", 43) + "="},
			{Path: "example.org/a", Version: "v2.0.0+incompatible",
				Replace: &debug.Module{Path: "example.org/b", Version: "v2.0.1+incompatible"}},
		},
		Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "2026-11-23T10:00:00Z"},
			{Key: "vcs.revision", Value: "c0ffee"}}}
	b, err := newBOM(info, sha256.Sum256([]byte("a program")))
	if err != nil {
		t.Fatal(err)
	}
	var purls []string
	for _, c := range b.Components {
		purls = append(purls, c.PURL)
	}
	want := []string{"pkg:golang/std@1.26.8", "pkg:golang/github.com/BurntSushi/toml@v1.6.0",
		"pkg:golang/example.org/b@v2.0.1%2Bincompatible"}
	if !slices.Equal(purls, want) {
		t.Errorf("components %v, want %v", purls, want)
	}
	if got := b.Components[1].Hashes; len(got) != 1 || got[0].Content != strings.Repeat("0", 64) {
		t.Errorf("hashes of a module %v, want those of go.sum", got)
	}
	if program := b.Metadata.Component; program.PURL != "pkg:golang/inkfeed@v1.2.3" ||
		program.Pedigree.Commits[0].UID != "c0ffee" || b.Metadata.Timestamp != "2026-11-23T10:00:00Z" {
		t.Errorf("the program is %+v of %s", program, b.Metadata.Timestamp)
	}
	if first := b.Dependencies[0]; first.Ref != "pkg:golang/inkfeed@v1.2.3" || !slices.Equal(first.DependsOn, want) {
		t.Errorf("the program depends on %v, want %v", first.DependsOn, want)
	}
}

func TestBillOfMaterialsIsReadFromAProgram(t *testing.T) {
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := run(file, &first); err != nil {
		t.Fatal(err)
	}
	if err := run(file, &second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("a second document differs: %v", err)
	}
	var b bom
	if err := json.Unmarshal(first.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(program)
	if got := b.Metadata.Component; got.Name != "inkfeed" || got.Hashes[0].Content != hex.EncodeToString(sum[:]) {
		t.Errorf("the program is %+v, want inkfeed with SHA-256 %x", got, sum)
	}
	if err := run("main_test.go", &first); err == nil {
		t.Error("a file that is no program has a bill of materials")
	}
}
