import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Private folders by the environment of the process")
struct EnvironmentFoldersTests {
    @Test("takes the folders from the process's environment")
    func folders() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            setenv("XDG_RUNTIME_DIR", folder.path, 1)
            setenv("XDG_STATE_HOME", folder("state"), 1)
            setenv("HOME", folder("home"), 1)
            setenv("TMPDIR", folder("temporary"), 1)
            #expect(try PrivateFolder.runtime() == folder("corebluetooth"))
            #expect(try PrivateFolder.state().path == folder("state/corebluetooth"))
            // Empty variables are ignored.
            setenv("XDG_RUNTIME_DIR", "", 1)
            setenv("XDG_STATE_HOME", "", 1)
            #expect(try PrivateFolder.runtime() == folder("temporary/corebluetooth-\(geteuid())"))
            let state = try PrivateFolder.state()
            #expect(state.path == folder("home/.local/state/corebluetooth") && state.problem == nil)
            folder.remove()
        }
    }
}
