/** What can go wrong with a call, as a type for each thing that a program would do something different about. */
package kaisatsu.error;
