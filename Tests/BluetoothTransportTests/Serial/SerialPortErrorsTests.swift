import BluetoothHCI
import BluetoothTypes
import Fixtures
import Foundation
import NIOCore
import Testing

@testable import BluetoothTransport

@Suite("Errors of serial ports")
struct SerialPortErrorsTests {
    @Test(
        "each failure names its cause and its remedy, in one line",
        arguments: [
            (EBUSY, TransportError.Code.inUse, "fuser -v /dev/ttyX"), (ENXIO, .notFound, "plug the controller in"),
            (ENOENT, .notFound, "ls /dev/tty*"), (EMFILE, .failed, systemErrorText(EMFILE)),
        ]
    )
    func failures(number: CInt, code: TransportError.Code, mend: String) {
        let error = TransportError(openingSerialPort: "/dev/ttyX", errno: number)
        #expect(error.code == code)
        #expect(error.message.contains("/dev/ttyX"))
        #expect(error.message.contains(mend))
        #expect(!error.message.contains("\n"))
    }

    @Test("without permission, names the group that has it, or the rule that grants it")
    func permission() {
        let inGroup = TransportError.noPermission("/dev/ttyACM0", SerialPortAccess(group: "dialout"))
        #expect(inGroup.code == .noPermission)
        #expect(inGroup.message.contains("sudo usermod -aG dialout $USER"))
        let alone = TransportError.noPermission("/dev/ttyACM0", SerialPortAccess(group: nil))
        #expect(alone.message.contains("KERNEL==\"ttyACM0\", GROUP=\"dialout\", MODE=\"0660\""))
        #expect(alone.message.contains("/etc/udev/rules.d/"))
    }

    @Test("takes a port's group only if its members may read and write, and it is not the superuser's")
    func group() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/tty"
        #expect(SerialPortAccess(path) == SerialPortAccess(group: nil), "there is none")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        // The superuser can give the file to another group; everybody else has another one.
        let number = getgid() == 0 ? 1 : getgid()
        try #require(chown(path, getuid(), number) == 0)
        let name = try #require(getgrgid(number)).pointee.gr_name.map { String(cString: $0) }
        for (mode, isGroups) in [(0o660, true), (0o640, false), (0o620, false), (0o606, false), (0o777, true)] {
            try #require(chmod(path, mode_t(mode)) == 0)
            #expect(SerialPortAccess(path) == SerialPortAccess(group: isGroups ? name : nil), "\(mode)")
        }
        guard getuid() == 0 else { return }
        try #require(chown(path, 0, 0) == 0)
        #expect(SerialPortAccess(path) == SerialPortAccess(group: nil))
    }

    @Test(
        "accepts a port's clock that is off by one part in 33",
        arguments: [(3300, 100), (3299, 99), (115_200, 3490), (32, 0), (33, 1), (20_000_000, 606_060)]
    )
    func clocks(speed: Int, difference: Int) {
        for real in [speed - difference, speed, speed + difference] {
            #expect(SerialPort.isSpeed(real, closeTo: speed), "\(real)")
        }
        for real in [speed - difference - 1, speed + difference + 1] {
            #expect(!SerialPort.isSpeed(real, closeTo: speed), "\(real)")
        }
    }

    @Test("names the speed that a port supports instead")
    func wrongSpeed() {
        let error = TransportError.wrongSpeed(3_000_000, of: "/dev/ttyS0", real: 115_200)
        #expect(error.code == .unsupported)
        #expect(error.message.contains("3000000"))
        #expect(error.message.contains("@115200"))
        #expect(TransportError(settingSpeed: 1, of: "/dev/ttyS0", errno: EINVAL).code == .unsupported)
        #expect(TransportError(settingSpeed: 1, of: "/dev/ttyS0", errno: EIO).code == .failed)
    }
}
