package siteinfo_test

import (
	"reflect"
	"testing"

	"inkfeed/domain/siteinfo"
)

func TestEachLookIsDescribedOnce(t *testing.T) {
	var looks siteinfo.Looks
	names := map[string]bool{}
	for f := range siteinfo.LookFields() {
		if names[f.Name] {
			t.Errorf("two properties are named %s", f.Name)
		}
		names[f.Name] = true
		if f.Label.IsZero() || len(f.Options) < 2 {
			t.Errorf("%s has no label, or nothing to choose", f.Name)
		}
		for _, o := range f.Options {
			if o.Label.IsZero() {
				t.Errorf("the option %q of %s has no label", o.Value, f.Name)
			}
		}
		if _, known := f.Option("nonsense"); known {
			t.Errorf("%s takes nonsense", f.Name)
		}
		if _, known := f.Option(f.Of(siteinfo.NewLooks())); !known {
			t.Errorf("%s has an unknown value on new sites", f.Name)
		}
		if o, known := f.Option(""); !known || o.Label.IsZero() {
			t.Errorf("%s has no name for the look of existing sites", f.Name)
		}
		f.Set(&looks, "set")
	}
	for i := range reflect.TypeFor[siteinfo.Looks]().NumField() {
		if reflect.ValueOf(looks).Field(i).String() != "set" {
			t.Errorf("no field sets %s", reflect.TypeFor[siteinfo.Looks]().Field(i).Name)
		}
	}
}

func TestFormerLookCanOnlyBeKept(t *testing.T) {
	for f := range siteinfo.LookFields() {
		if f.Former.IsZero() {
			continue
		}
		if kept := f.Choices(""); len(kept) != len(f.Options)+1 || kept[0].Value != "" {
			t.Errorf("%s: a site with the former look can choose %v", f.Name, kept)
		}
		if offered := f.Choices(f.Options[0].Value); len(offered) != len(f.Options) {
			t.Errorf("%s: a site with another look can choose %v", f.Name, offered)
		}
	}
}
