package importing

import (
	"fmt"
	"runtime/debug"
)

// recovered sets err to a panic of the function that defers it. In a goroutine a panic would end the process.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	}
}
