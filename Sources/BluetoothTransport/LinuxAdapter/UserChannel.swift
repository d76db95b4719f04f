// The user channel of Linux: exclusive HCI access to an adapter. The kernel powers the controller up, loads its
// firmware, and then carries packets, each with its H4 type octet, one for each read and write of the socket.

#if os(Linux)

import CPlatform

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Opens user channels.
enum UserChannel {
    /// The step of a failed system call.
    enum Step: Hashable {
        case socket
        case takeDown
        case bind
    }

    /// Opens the user channel of an adapter; can take seconds, when the adapter loads its firmware.
    ///
    /// An adapter that is up is taken down first; no other program can use it while the channel is open.
    ///
    /// - Throws: ``TransportError`` with one line that says why the adapter is unavailable.
    static func open(_ index: Int) throws(TransportError) -> DeviceDescriptor {
        let processes = ProcessListing()
        func failure(_ step: Step, _ number: CInt) -> TransportError {
            let isHeld = number == EBUSY || number == EUSERS
            return TransportError(
                openingAdapter: index,
                step,
                errno: number,
                program: processes.ownProgram,
                holders: isHeld ? AdapterHolders(processes) : AdapterHolders(),
                isManaged: isHeld ? AdapterManagement.indices()?.contains(index) : nil
            )
        }
        var number: CInt = -1
        let error = linux_hci_socket(&number)
        guard error == 0 else { throw failure(.socket, error) }
        let device = DeviceDescriptor(owning: number)
        guard let kernelIndex = UInt16(exactly: index) else { throw failure(.bind, ENODEV) }
        switch linux_hci_bind_user_channel(number, kernelIndex) {
        case 0: break
        case EBUSY:
            let error = linux_hci_take_down(number, kernelIndex)
            guard error == 0 else { throw failure(.takeDown, error) }
            let secondError = linux_hci_bind_user_channel(number, kernelIndex)
            guard secondError == 0 else { throw failure(.bind, secondError) }
        case let error: throw failure(.bind, error)
        }
        return device
    }
}

#endif
