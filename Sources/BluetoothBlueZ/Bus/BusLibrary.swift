// sd-bus, the D-Bus library of systemd, found at run time: the build needs nothing, and a machine without it gets one
// line that says so. No function here is variadic.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The functions of sd-bus that are used, with their types in C (sd-bus.h).
struct BusLibrary: Sendable {
    typealias Object = OpaquePointer?
    typealias Text = UnsafePointer<CChar>?
    /// `sd_bus_message_handler_t`.
    typealias Handler = @convention(c) (Object, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt

    /// `sd_bus_error`, a name and a message.
    struct Failure {
        var name: Text
        var message: Text
        var mustBeFreed: CInt = 0
    }

    typealias Constructor = @convention(c) (UnsafeMutablePointer<Object>) -> CInt
    typealias Action = @convention(c) (Object) -> CInt
    typealias Release = @convention(c) (Object) -> Object
    typealias Accessor = @convention(c) (Object) -> Text

    let new: Constructor
    let setAddress: @convention(c) (Object, Text) -> CInt
    let setBusClient: @convention(c) (Object, CInt) -> CInt
    let start: Action
    let close: @convention(c) (Object) -> Void
    let release: Release
    let process: @convention(c) (Object, UnsafeMutablePointer<Object>?) -> CInt
    let descriptor: Action
    let events: Action
    let timeout: @convention(c) (Object, UnsafeMutablePointer<UInt64>) -> CInt
    let addFilter: @convention(c) (Object, UnsafeMutablePointer<Object>?, Handler, UnsafeMutableRawPointer?) -> CInt
    let send: @convention(c) (Object, Object, UnsafeMutablePointer<UInt64>?) -> CInt

    let newCall: @convention(c) (Object, UnsafeMutablePointer<Object>, Text, Text, Text, Text) -> CInt
    let newReturn: @convention(c) (Object, UnsafeMutablePointer<Object>) -> CInt
    /// The error is a pointer to a ``Failure``.
    let newError: @convention(c) (Object, UnsafeMutablePointer<Object>, UnsafeRawPointer) -> CInt
    let newSignal: @convention(c) (Object, UnsafeMutablePointer<Object>, Text, Text, Text) -> CInt
    let retainMessage: Release
    let releaseMessage: Release
    let type: @convention(c) (Object, UnsafeMutablePointer<UInt8>) -> CInt
    let replyCookie: @convention(c) (Object, UnsafeMutablePointer<UInt64>) -> CInt
    let expectsReply: Action
    /// A pointer to a ``Failure``.
    let error: @convention(c) (Object) -> UnsafeRawPointer?
    let sender: Accessor
    let path: Accessor
    let interface: Accessor
    let member: Accessor

    let appendBasic: @convention(c) (Object, CChar, UnsafeRawPointer?) -> CInt
    let appendArray: @convention(c) (Object, CChar, UnsafeRawPointer?, Int) -> CInt
    let openContainer: @convention(c) (Object, CChar, Text) -> CInt
    let closeContainer: Action
    let peekType: @convention(c) (Object, UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Text>) -> CInt
    let readBasic: @convention(c) (Object, CChar, UnsafeMutableRawPointer) -> CInt
    let readArray:
        @convention(c) (Object, CChar, UnsafeMutablePointer<UnsafeRawPointer?>, UnsafeMutablePointer<Int>) -> CInt
    let enterContainer: @convention(c) (Object, CChar, Text) -> CInt
    let exitContainer: Action
}

extension BusLibrary {
    /// The library of this machine, or the reason why there is none.
    static let shared: Result<BusLibrary, BlueZError> = {
        guard let handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL) else {
            return .failure(
                BlueZError(
                    .unsupported,
                    "BlueZ cannot be reached, since libsystemd.so.0 is missing: run sudo apt install libsystemd0"
                )
            )
        }
        return BusLibrary(handle).map { .success($0) }
            ?? .failure(
                BlueZError(
                    .unsupported,
                    "BlueZ cannot be reached, since libsystemd.so.0 is too old: install a newer one"
                )
            )
    }()

    /// Finds all functions; `nil` if one is missing.
    private init?(_ handle: UnsafeMutableRawPointer) {
        var isComplete = true
        // A missing function is never called: the value is dropped.
        func find<Function>(_ name: String, _: Function.Type = Function.self) -> Function {
            let symbol = dlsym(handle, "sd_bus_" + name)
            if symbol == nil { isComplete = false }
            return unsafeBitCast(symbol ?? dlsym(handle, "sd_bus_new"), to: Function.self)
        }
        guard dlsym(handle, "sd_bus_new") != nil else { return nil }
        self.new = find("new")
        self.setAddress = find("set_address")
        self.setBusClient = find("set_bus_client")
        self.start = find("start")
        self.close = find("close")
        self.release = find("unref")
        self.process = find("process")
        self.descriptor = find("get_fd")
        self.events = find("get_events")
        self.timeout = find("get_timeout")
        self.addFilter = find("add_filter")
        self.send = find("send")
        self.newCall = find("message_new_method_call")
        self.newReturn = find("message_new_method_return")
        self.newError = find("message_new_method_error")
        self.newSignal = find("message_new_signal")
        self.retainMessage = find("message_ref")
        self.releaseMessage = find("message_unref")
        self.type = find("message_get_type")
        self.replyCookie = find("message_get_reply_cookie")
        self.expectsReply = find("message_get_expect_reply")
        self.error = find("message_get_error")
        self.sender = find("message_get_sender")
        self.path = find("message_get_path")
        self.interface = find("message_get_interface")
        self.member = find("message_get_member")
        self.appendBasic = find("message_append_basic")
        self.appendArray = find("message_append_array")
        self.openContainer = find("message_open_container")
        self.closeContainer = find("message_close_container")
        self.peekType = find("message_peek_type")
        self.readBasic = find("message_read_basic")
        self.readArray = find("message_read_array")
        self.enterContainer = find("message_enter_container")
        self.exitContainer = find("message_exit_container")
        if !isComplete { return nil }
    }
}
