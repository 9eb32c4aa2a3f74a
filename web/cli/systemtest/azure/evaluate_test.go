package azure

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unknown is a value that only Azure knows, such as the id of a resource. Its text is the expression for it.
type unknown string

func (u unknown) String() string { return "<" + string(u) + ">" }

// scope is where the expressions of a file are evaluated.
type scope struct {
	file    *bicepFile
	values  map[string]any // arguments, and variables of loops; they hide all other names
	made    *[]resource
	modules map[string]any
	used    map[string]bool
}

// resource is an evaluated resource.
type resource struct {
	kind, version string
	body          map[string]any
	file          string
}

// deploy evaluates a file and its modules with arguments, as a deployment would. It returns the resources and the
// outputs, and panics where the compiler would report an error: at names, parameters, outputs and functions that do
// not exist, at arguments of another type, and at references to a module that is not deployed.
func deploy(path string, arguments map[string]any) (made []resource, outputs map[string]any) {
	outputs = deployInto(&made, path, arguments)
	return made, outputs
}

func deployInto(made *[]resource, path string, arguments map[string]any) map[string]any {
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	defer func() {
		if reason := recover(); reason != nil {
			panic(fmt.Sprintf("%s: %v", path, reason))
		}
	}()
	s := &scope{parse(path, string(text)), maps.Clone(arguments), made, map[string]any{}, map[string]bool{}}
	s.check(arguments)
	for _, name := range s.file.order {
		if d := s.file.resources[name]; d != nil {
			s.add(d)
		} else {
			s.module(name)
		}
	}
	outputs := make(map[string]any)
	for name, value := range s.file.outputs {
		outputs[name] = value(s)
	}
	return outputs
}

// check compares arguments with the parameters of the file, and completes the defaults.
func (s *scope) check(arguments map[string]any) {
	if s.values == nil {
		s.values = make(map[string]any)
	}
	for name := range arguments {
		if s.file.parameters[name] == nil && s.file.resources[name] == nil {
			panic("there is no parameter " + name)
		}
	}
	for name, p := range s.file.parameters {
		value, given := arguments[name]
		switch {
		case !given && p.value == nil:
			panic("no argument for " + name)
		case !given:
			value = p.value(s)
		}
		fits := map[string]bool{"string": isString(value), "int": isType[float64](value), "bool": isType[bool](value),
			"array": isType[[]any](value), "object": isType[map[string]any](value)}[p.kind]
		if !fits {
			panic(fmt.Sprintf("%s is %T, not %s", name, value, p.kind))
		}
		s.values[name] = value
	}
}

func isString(value any) bool { return isType[string](value) || isType[unknown](value) }

func isType[T any](value any) bool {
	_, ok := value.(T)
	return ok
}

// add evaluates a resource. Each item of a loop is one resource.
func (s *scope) add(d *declaration) {
	if d.condition != nil && !truth(d.condition(s)) {
		return
	}
	kind, version, ok := strings.Cut(d.kind, "@")
	if !ok {
		panic(fmt.Sprintf("line %d: %s has no version", d.line, d.kind))
	}
	bodies, ok := d.body(s).([]any)
	if !ok {
		bodies = []any{d.body(s)}
	}
	for _, body := range bodies {
		if !d.existing {
			*s.made = append(*s.made, resource{kind, version, body.(map[string]any), filepath.Base(s.file.path)})
		}
	}
}

// module deploys a module once and returns what other declarations see of it.
func (s *scope) module(name string) any {
	d := s.file.modules[name]
	if d.condition != nil && !truth(d.condition(s)) {
		return nil
	}
	if s.modules[name] == nil {
		arguments, _ := d.body(s).(map[string]any)["params"].(map[string]any)
		path := filepath.Join(filepath.Dir(s.file.path), d.kind)
		s.modules[name] = map[string]any{"outputs": deployInto(s.made, path, arguments)}
	}
	return s.modules[name]
}

// with returns a scope with further values.
func (s *scope) with(values map[string]any) *scope {
	inner := *s
	inner.values = maps.Clone(s.values)
	maps.Copy(inner.values, values)
	return &inner
}

// lookup returns the value of a name.
func (s *scope) lookup(t token) any {
	s.used[t.text] = true
	if value, ok := s.values[t.text]; ok {
		return value
	}
	switch {
	case s.file.variables[t.text] != nil:
		return s.file.variables[t.text](s)
	case s.file.resources[t.text] != nil:
		return unknown(t.text)
	case s.file.modules[t.text] != nil:
		if value := s.module(t.text); value != nil {
			return value
		}
		panic(fmt.Sprintf("line %d: the module %s is not deployed", t.line, t.text))
	}
	panic(fmt.Sprintf("line %d: there is no %s", t.line, t.text))
}

func all(s *scope, list []expression) []any {
	values := make([]any, len(list))
	for i, e := range list {
		values[i] = e(s)
	}
	return values
}

// join returns the text of a string. A string that is one expression keeps its value.
func join(s *scope, parts []part) any {
	var text strings.Builder
	for _, p := range parts {
		if text.WriteString(p.text); p.code != nil {
			fmt.Fprint(&text, p.code(s))
		}
	}
	return text.String()
}

func truth(value any) bool { return value.(bool) }

func memberOf(value any, name string) any {
	switch value := value.(type) {
	case unknown:
		return unknown(string(value) + "." + name)
	case map[string]any:
		if member, ok := value[name]; ok {
			return member
		}
	}
	panic(fmt.Sprintf("%v has no %s", value, name))
}

func elementOf(list, index any) any { return list.([]any)[int(index.(float64))] }

// call calls one of the functions that docs/azure uses.
func (s *scope) call(t token, a []any) any {
	switch t.text {
	case "loadTextContent":
		text, err := os.ReadFile(filepath.Join(filepath.Dir(s.file.path), a[0].(string)))
		if err != nil {
			panic(fmt.Sprintf("line %d: %v", t.line, err))
		}
		return string(text)
	case "resourceGroup", "subscription", "tenant", "environment":
		return unknown(t.text + "()")
	case "uniqueString", "guid", "subscriptionResourceId":
		return fmt.Sprintf("<%s(%v)>", t.text, a)
	case "toLower":
		return strings.ToLower(fmt.Sprint(a[0]))
	case "split":
		var words []any
		for word := range strings.SplitSeq(fmt.Sprint(a[0]), a[1].(string)) {
			words = append(words, word)
		}
		return words
	case "json":
		var value any
		if err := json.Unmarshal([]byte(a[0].(string)), &value); err != nil {
			panic(fmt.Sprintf("line %d: %v", t.line, err))
		}
		return value
	case "concat":
		var list []any
		for _, other := range a {
			list = append(list, other.([]any)...)
		}
		return list
	case "contains":
		return slices.Contains(a[0].([]any), a[1])
	case "empty":
		return a[0] == ""
	}
	panic(fmt.Sprintf("line %d: unknown function %s", t.line, t.text))
}
