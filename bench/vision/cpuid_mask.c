/* Hides instruction sets from a process, so that one machine measures what an older processor would run.
 *
 *   cc -O2 -shared -fPIC -o cpuid_mask.so bench/vision/cpuid_mask.c
 *   CPUID_MASK=amx LD_PRELOAD=$PWD/cpuid_mask.so command      # AVX-512 without matrix tiles
 *   CPUID_MASK=avx512 LD_PRELOAD=$PWD/cpuid_mask.so command   # AVX2, no AVX-512, no tiles
 *
 * Linux can make CPUID fault (arch_prctl, ARCH_SET_CPUID). The handler runs the instruction and clears the bits of what
 * is hidden. It needs an Intel processor of 2012 or later. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define ARCH_SET_CPUID 0x1012

static int hide_avx512;

static void set_cpuid(int on) { syscall(SYS_arch_prctl, ARCH_SET_CPUID, on); }

static void hide(uint32_t leaf, uint32_t sub, uint32_t *b, uint32_t *c, uint32_t *d, uint32_t *a) {
    if (leaf == 7 && sub == 0) {
        *d &= ~((1u << 22) | (1u << 24) | (1u << 25)); /* AMX: bf16, tile, int8 */
        if (hide_avx512) {
            /* F, DQ, IFMA, PF, ER, CD, BW, VL */
            *b &= ~((1u << 16) | (1u << 17) | (1u << 21) | (1u << 26) | (1u << 27) | (1u << 28) | (1u << 30) | (1u << 31));
            *c &= ~((1u << 1) | (1u << 6) | (1u << 11) | (1u << 12) | (1u << 14)); /* VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ */
            *d &= ~((1u << 2) | (1u << 3) | (1u << 8) | (1u << 23));               /* 4VNNIW, 4FMAPS, VP2INTERSECT, FP16 */
        }
    }
    if (leaf == 7 && sub == 1) {
        *a &= ~((1u << 21) | (hide_avx512 ? (1u << 4) | (1u << 5) : 0)); /* AMX-FP16, AVX-VNNI, BF16 */
    }
}

static void on_fault(int number, siginfo_t *info, void *context) {
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *code = (const unsigned char *)r[REG_RIP];
    (void)info;
    if (code[0] != 0x0f || code[1] != 0xa2) {
        signal(number, SIG_DFL);
        return;
    }
    uint32_t leaf = r[REG_RAX], sub = r[REG_RCX], a, b, c, d;
    set_cpuid(1);
    __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(leaf), "c"(sub));
    set_cpuid(0);
    hide(leaf, sub, &b, &c, &d, &a);
    r[REG_RAX] = a;
    r[REG_RBX] = b;
    r[REG_RCX] = c;
    r[REG_RDX] = d;
    r[REG_RIP] += 2;
}

__attribute__((constructor)) static void start(void) {
    const char *mask = getenv("CPUID_MASK");
    if (!mask) return;
    hide_avx512 = strcmp(mask, "avx512") == 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
    set_cpuid(0);
}
