// Processes that tests start: they have the descriptors that they are given, and no others. Foundation's `Process`
// hands on what is open, and traps if more than some thousand descriptors are.

package import Foundation

/// Starts a process in a group of its own, without blocked or ignored signals; throws the system's error.
///
/// - Parameters:
///   - arguments: The program and its arguments.
///   - environment: All of its environment.
///   - descriptors: What it has as descriptors 0, 1 and so on.
///   - folder: Its working directory.
package func spawn(
    _ arguments: [String],
    _ environment: [String: String],
    _ descriptors: [CInt],
    in folder: String = FileManager.default.currentDirectoryPath
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors.enumerated() {
        posix_spawn_file_actions_adddup2(&actions, descriptor, CInt(number))
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
        guard let descriptor = CInt(name), descriptor >= descriptors.count else { continue }
        posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, every) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&every)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &every)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    posix_spawnattr_setflags(&attributes, CShort(flags))
    // env changes the folder and becomes the program.
    let words = (["/usr/bin/env", "-C", folder] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process = pid_t()
    let code = posix_spawn(&process, "/usr/bin/env", &actions, &attributes, words, variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    return process
}

/// Waits for the end of a process: its exit status, or the negative number of the signal that ended it.
package func exitStatus(of process: pid_t) -> Int32 {
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : -signal
}

/// Runs a program to its end, with no input: its status, and what it wrote to both outputs.
package func run(
    _ arguments: [String],
    _ environment: [String: String] = ProcessInfo.processInfo.environment
) throws -> (status: Int32, output: String) {
    let output = Pipe()
    let writing = output.fileHandleForWriting.fileDescriptor
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(null) }
    let process = try spawn(arguments, environment, [null, writing, writing])
    try output.fileHandleForWriting.close()
    let octets = output.fileHandleForReading.readDataToEndOfFile()
    return (exitStatus(of: process), String(decoding: octets, as: UTF8.self))
}

/// Runs the program of these tests, as its user does: the tests that `arguments` choose.
package func runTests(
    _ arguments: [String],
    _ variables: [String: String]
) throws -> (status: Int32, output: String) {
    let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SWT_") }
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return try run([program] + arguments, environment.merging(variables) { $1 })
}
